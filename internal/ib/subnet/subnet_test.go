package subnet

import (
	"testing"

	"weft/internal/base/topology"
	"weft/units"
)

func star(t *testing.T, hosts int) *Subnet {
	t.Helper()
	g, err := topology.SingleSwitch{Endpoints: hosts}.Build()
	if err != nil {
		t.Fatal(err)
	}
	s, err := FromGraph(g, Link{Width: 4, Speed: NDR})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestLIDsStartAtTheManagerAndFollowGUIDsReadBackwards(t *testing.T) {
	s := star(t, 3)
	for i, guid := range []units.GUID{0x0a00, 0x0002, 0x0b01} {
		s.Nodes[i].Ports[1].GUID = guid
	}
	s.Nodes[3].Ports[0].GUID = 0x01
	s.Origin = End{Node: 2, Port: 1}
	if err := s.AssignLIDs(0); err != nil {
		t.Fatal(err)
	}
	// Backwards: 0x0a00 is 000a…, 0x0001 is 01…, 0x0002 is 02….
	for node, want := range []units.LID{2, 4, 1, 3} {
		if got := s.Nodes[node].Ports[s.Nodes[node].Base()].LID; got != want {
			t.Errorf("node %d has LID %d, want %d", node, got, want)
		}
	}
}

func TestOwnersFollowLIDs(t *testing.T) {
	s := star(t, 3)
	if err := s.AssignLIDs(2); err != nil {
		t.Fatal(err)
	}
	owners := s.Owners()
	if len(owners) != int(s.TopLID())+1 {
		t.Fatalf("%d owners, want %d", len(owners), int(s.TopLID())+1)
	}
	count := map[End]int{}
	for lid, e := range owners {
		if !e.Exists() {
			continue
		}
		count[e]++
		if p := s.Port(e); lid < int(p.LID) || lid >= int(p.LID)+4 {
			t.Errorf("LID %d belongs to a port with LID %d", lid, p.LID)
		}
	}
	for i := range s.Nodes {
		want := 4
		if s.Nodes[i].Kind == Switch {
			want = 1
		}
		if got := count[End{int32(i), s.Nodes[i].Base()}]; got != want {
			t.Errorf("node %d answers to %d LIDs, want %d", i, got, want)
		}
	}
}

func TestMoreLIDsThanASubnetHasAreRefused(t *testing.T) {
	s := &Subnet{Origin: None}
	sw := s.Add(Node{Kind: Switch}, 1)
	for range units.LastUnicastLID {
		s.Nodes = append(s.Nodes, Node{Kind: Adapter, Ports: []Port{{}, {Peer: End{sw, 1}}}})
	}
	if err := s.AssignLIDs(0); err == nil {
		t.Error("49,152 ports got LIDs; the unicast range has 49,151")
	}
}

// TestAPortHasTheNameOfItsFile: of Ethernet a name, of InfiniBand a number, also one that the switch does not have.
func TestAPortHasTheNameOfItsFile(t *testing.T) {
	s := &Subnet{}
	s.Add(Node{Kind: Switch, Name: "leaf1"}, 3)
	s.Nodes[0].NamePort(1, "Ethernet0")
	s.Nodes[0].NamePort(2, "7")
	for port, want := range map[uint8]string{1: `"leaf1" Ethernet0`, 2: `"leaf1" port 7`, 3: `"leaf1" port 3`, 255: `"leaf1" port 255`} {
		if got := s.EndName(End{Node: 0, Port: uint16(port)}); got != want {
			t.Errorf("port %d is %s, want %s", port, got, want)
		}
	}
}

// TestARateIsShownAsTheLinkThatHasIt: what is left of a link that lost lanes or runs at a lower speed; Ethernet has neither.
func TestARateIsShownAsTheLinkThatHasIt(t *testing.T) {
	ndr := Link{Width: 4, Speed: NDR}
	for rate, want := range map[units.Rate]string{0: "4xNDR", 400 * units.Gbps: "4xNDR", 200 * units.Gbps: "2xNDR", 100 * units.Gbps: "1xNDR", 40 * units.Gbps: "4xFDR10", 17 * units.Gbps: "17 Gb/s"} {
		if got := LinkAt(rate, ndr); got.String() != want || rate > 0 && got.Rate() != rate {
			t.Errorf("%v: %v, want %s", rate, got, want)
		}
	}
	if got := LinkAt(100*units.Gbps, Bare(400*units.Gbps)).Rate(); got != 100*units.Gbps {
		t.Errorf("Ethernet of 100 Gb/s: %v", got)
	}
}

func TestRatesOfLinks(t *testing.T) {
	for _, c := range []struct {
		link Link
		want units.Rate
	}{
		{Link{Width: 4, Speed: SDR}, 8 * units.Gbps},
		{Link{Width: 4, Speed: EDR}, 100 * units.Gbps},
		{Link{Width: 2, Speed: NDR}, 200 * units.Gbps},
		{Link{Width: 4, Speed: XDR}, 800 * units.Gbps},
		{Link{}, 0},
	} {
		if got := c.link.Rate(); got != c.want {
			t.Errorf("%dx %v: %v, want %v", c.link.Width, c.link.Speed, got, c.want)
		}
	}
}
