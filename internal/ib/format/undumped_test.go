package format

import (
	"fmt"
	"strings"
	"testing"

	"weft/internal/ib/subnet"
	"weft/units"
)

// dumped is what dump_fts of infiniband-diags 44 prints of a switch with a host on each
// of its ports: entries up to a LID.
func dumped(s *subnet.Subnet, top, last int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Unicast lids [0x0-0x%x] of switch DR path slid 0; dlid 0; 0,1 guid 0x%016x (sw):\n  Lid  Out   Destination\n       Port     Info\n", top, uint64(s.Nodes[0].GUID))
	for lid := 1; lid <= last; lid++ {
		e := s.Owners()[lid]
		port := s.Peer(e)
		if e.Node == 0 {
			port.Port = 0
		}
		fmt.Fprintf(&b, "0x%04x %03d : (Channel Adapter portguid 0x%016x: 'h')\n", lid, port.Port, uint64(s.Port(e).GUID))
	}
	fmt.Fprintf(&b, "%d valid lids dumped\n", last)
	return b.String()
}

func starOf(t *testing.T, hosts int) *subnet.Subnet {
	t.Helper()
	s := &subnet.Subnet{Origin: subnet.None}
	s.Add(subnet.Node{Kind: subnet.Switch, GUID: 0x1000}, hosts)
	s.Nodes[0].Ports[0].GUID = 0x1000
	for i := range hosts {
		at := s.Add(subnet.Node{Kind: subnet.Adapter, GUID: units.GUID(2*i + 2), Name: fmt.Sprint("h", i)}, 1)
		s.Nodes[at].Ports[1].GUID = units.GUID(2*i + 3)
		s.Connect(subnet.End{Node: at, Port: 1}, subnet.End{Node: 0, Port: uint16(i + 1)}, subnet.Link{})
	}
	if err := s.AssignLIDs(0); err != nil {
		t.Fatal(err)
	}
	return s
}

// dump_fts leaves out the highest LID if it is a multiple of 64. Its port keeps the LID,
// whether or not the fabric's file has LIDs.
func TestAHighestLIDThatDumpFTSLeavesOutStaysItsPorts(t *testing.T) {
	for _, c := range []struct {
		hosts, last int
		bare        bool
		want        units.LID
	}{
		{63, 63, false, 64}, {63, 63, true, 64}, // 64 LIDs
		{63, 64, false, 0}, // all are there
		{62, 62, false, 0}, // the file lost a line of 63
		{63, 62, true, 0},  // two are missing, their owners unknown
	} {
		s := starOf(t, c.hosts)
		owner := s.Owners()[s.TopLID()]
		text := dumped(s, int(s.TopLID()), c.last)
		if c.bare {
			for i := range s.Nodes {
				for p := range s.Nodes[i].Ports {
					s.Nodes[i].Ports[p].LID = 0
				}
			}
		}
		l, _, err := ReadLFTs("fts", strings.NewReader(text), s)
		if err != nil {
			t.Fatal(err)
		}
		l.Assign(s)
		if l.Undumped != c.want || c.want > 0 && s.Port(owner).LID != c.want {
			t.Errorf("%+v: LID %d is said to be left out, and its port has LID %d", c, l.Undumped, s.Port(owner).LID)
		}
	}
}
