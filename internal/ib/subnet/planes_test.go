package subnet_test

import (
	"fmt"
	"testing"

	"weft/internal/ib/subnet"
	"weft/units"
)

// planar is a leaf on each of some planes, and three hosts with a port on each; the ports of a host have one LID and GUID if
// aggregated.
func planar(planes int, aggregated bool) *subnet.Subnet {
	s := &subnet.Subnet{Origin: subnet.None}
	for k := range planes {
		i := s.Add(subnet.Node{Kind: subnet.Switch, GUID: units.GUID(0x100 + k), Name: fmt.Sprint("leaf U", k+1)}, 4)
		s.Nodes[i].Ports[0].GUID = s.Nodes[i].GUID
	}
	for h := range 3 {
		i := s.Add(subnet.Node{Kind: subnet.Adapter, GUID: units.GUID(0x1000 + 16*h), Name: fmt.Sprintf("gpu%d mlx5_0", h)}, planes)
		for k := range planes {
			p := &s.Nodes[i].Ports[k+1]
			if p.GUID = units.GUID(0x1001 + 16*h + k); aggregated {
				p.GUID, p.LID = units.GUID(0x1001+16*h), units.LID(10+h)
			}
			s.Connect(subnet.End{Node: int32(k), Port: uint16(h + 1)}, subnet.End{Node: i, Port: uint16(k + 1)}, subnet.Link{Width: 1, Speed: subnet.XDR})
		}
	}
	s.Origin = subnet.End{Node: int32(planes), Port: 1}
	return s
}

// TestPlanesAreFoundByTheHostsTheyShare: two and four planes, with and without aggregated ports; parts that share no host are
// none, and one fabric is none.
func TestPlanesAreFoundByTheHostsTheyShare(t *testing.T) {
	for _, planes := range []int{2, 4} {
		for _, aggregated := range []bool{true, false} {
			x := subnet.PlanesOf(planar(planes, aggregated))
			if x == nil || len(x.Each) != planes || x.Aggregated != aggregated {
				t.Fatalf("%d planes, aggregated %t: %+v", planes, aggregated, x)
			}
			for k, s := range x.Each {
				if len(s.Nodes) != 4 || len(s.Check()) > 0 || s.Switches() != 1 {
					t.Errorf("plane %d: %d nodes, faults %v", k+1, len(s.Nodes), s.Check())
				}
				if s.Origin.Exists() != (k == 0) {
					t.Errorf("plane %d: the discovery began at %v", k+1, s.Origin)
				}
			}
		}
	}
	apart := planar(2, false)
	for i := 2; i < len(apart.Nodes); i++ { // each host on one plane
		peer := &apart.Nodes[i].Ports[1+i%2]
		apart.Port(peer.Peer).Peer, peer.Peer = subnet.None, subnet.None
	}
	if x := subnet.PlanesOf(apart); x != nil {
		t.Errorf("parts without a common host are %d planes", len(x.Each))
	}
	if x := subnet.PlanesOf(planar(1, false)); x != nil {
		t.Error("one plane is several")
	}
}

// TestAggregatedPlanesHaveEachLIDOnce: switches of all planes differ, the ports of a host are the same on all.
func TestAggregatedPlanesHaveEachLIDOnce(t *testing.T) {
	x := subnet.PlanesOf(planar(4, true))
	if err := x.AssignLIDs(1); err != nil {
		t.Fatal(err)
	}
	if d := x.Differ(); d != "" {
		t.Error(d)
	}
	owner := map[units.LID]units.GUID{}
	for _, s := range x.Each {
		for i := range s.Nodes {
			n := &s.Nodes[i]
			p := n.Ports[n.Base()]
			if before, twice := owner[p.LID]; p.LID == 0 || twice && before != n.GUID {
				t.Errorf("%s has LID %d, which %v has too", n.Name, p.LID, before)
			}
			owner[p.LID] = n.GUID
			if n.Kind != subnet.Switch && p.LMC != 1 {
				t.Errorf("%s has an LMC of %d", n.Name, p.LMC)
			}
		}
	}
	if len(owner) != 4+3 {
		t.Errorf("%d LIDs, want 7", len(owner))
	}
	x.Each[1].Nodes[1].Ports[2].LID++
	if x.Differ() == "" {
		t.Error("a port with another LID on a plane is not named")
	}
}

// TestPortsOfAnAggregatedPortAreNoFault: equal LIDs and GUIDs on planes apart are one port; on one plane they are a fault.
func TestPortsOfAnAggregatedPortAreNoFault(t *testing.T) {
	s := planar(2, true)
	if faults := s.Check(); len(faults) > 0 {
		t.Errorf("faults of aggregated ports: %v", faults)
	}
	s.Connect(subnet.End{Node: 0, Port: 4}, subnet.End{Node: 1, Port: 4}, subnet.Link{Width: 1, Speed: subnet.XDR})
	if faults := s.Check(); len(faults) != 6 {
		t.Errorf("with a cable between the planes: %v, want a clash of LIDs and of GUIDs for each host", faults)
	}
}
