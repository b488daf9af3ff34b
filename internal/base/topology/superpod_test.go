package topology

import (
	"fmt"
	"testing"
)

// The bill of materials of the DGX H100 SuperPOD, NVIDIA RA-11333-001 v11.
var superpod = []struct {
	units, nodes, gpus, leaf, spine, core int
	nodeLeaf, leafSpine, spineCore        int
	ufm                                   bool
}{
	{1, 31, 248, 8, 4, 0, 252, 256, 0, true},
	{2, 63, 504, 16, 8, 0, 508, 512, 0, true},
	{3, 95, 760, 24, 16, 0, 764, 768, 0, true},
	{4, 127, 1016, 32, 16, 0, 1020, 1024, 0, true},
	{4, 128, 1024, 32, 16, 0, 1024, 1024, 0, false},
	{8, 256, 2048, 64, 32, 0, 2048, 2048, 0, false},
	{16, 512, 4096, 128, 128, 64, 4096, 4096, 4096, false},
	{32, 1024, 8192, 256, 256, 128, 8192, 8192, 8192, false},
	{64, 2048, 16384, 512, 512, 256, 16384, 16384, 16384, false},
}

func TestRailReproducesTheSuperPODTable(t *testing.T) {
	for _, row := range superpod {
		t.Run(fmt.Sprintf("%d nodes", row.nodes), func(t *testing.T) {
			s := Rail{Nodes: row.nodes, UFM: row.ufm}
			got, err := s.Count()
			if err != nil {
				t.Fatal(err)
			}
			want := Count{
				Nodes: row.nodes, Endpoints: row.gpus,
				Switches:  [3]int{row.leaf, row.spine, row.core},
				PortsUsed: row.nodeLeaf + 2*row.leafSpine + 2*row.spineCore,
			}
			if row.ufm {
				want.Services = 4
			}
			want.Cables[NodeLeaf], want.Cables[LeafSpine], want.Cables[SpineCore] = row.nodeLeaf, row.leafSpine, row.spineCore
			want.PortsFree = 64*want.TotalSwitches() - want.PortsUsed
			if got != want {
				t.Errorf("counted %+v, the table says %+v", got, want)
			}
			if units := got.Switches[0] / 8; units != row.units {
				t.Errorf("%d scalable units, the table says %d", units, row.units)
			}
			g, err := s.Build()
			if err != nil {
				t.Fatal(err)
			}
			if built := Tally(g); built != want {
				t.Errorf("built %+v, the table says %+v", built, want)
			}
			if err := Validate(g); err != nil {
				t.Error(err)
			}
		})
	}
}

// Sizes that the table leaves out, by the rule in the comment of Rail.
func TestRailGoesOnBetweenTheRowsOfTheTable(t *testing.T) {
	for _, row := range []struct{ units, leaf, spine, core int }{
		{5, 40, 32, 0},
		{6, 48, 32, 0},
		{7, 56, 32, 0},
		{9, 72, 128, 48},
		{12, 96, 128, 48},
		{24, 192, 256, 96},
		{48, 384, 512, 192},
	} {
		c, err := Rail{Nodes: 32 * row.units}.Count()
		if err != nil {
			t.Fatal(err)
		}
		if want := [3]int{row.leaf, row.spine, row.core}; c.Switches != want {
			t.Errorf("%d units have %v switches, the rule says %v", row.units, c.Switches, want)
		}
	}
}

func TestASmallRailClusterHasOneLeafPerRail(t *testing.T) {
	s := Rail{Nodes: 16}
	g, err := s.Build()
	if err != nil {
		t.Fatal(err)
	}
	c := Tally(g)
	if want := [3]int{8, 2, 0}; c.Switches != want {
		t.Errorf("switches %v, want %v", c.Switches, want)
	}
	if c.Cables[NodeLeaf] != 128 || c.Cables[LeafSpine] != 128 {
		t.Errorf("cables %v, want 128 and 128", c.Cables)
	}
	for e := range g.Endpoints {
		leaf, _, _ := g.Peer(End{NodeID(e), 0})
		want := fmt.Sprintf("leaf-r%d-su0", e%8)
		if got := g.Nodes[leaf.Node].Name; got != want {
			t.Fatalf("%s is on %s, want %s", g.Nodes[e].Name, got, want)
		}
	}
	if got, want := g.Nodes[3*8+5].Name, "node3/nic5"; got != want {
		t.Errorf("endpoint 3*8+5 is called %s, want %s", got, want)
	}
}

// The DGX A100 SuperPOD has units of 20 nodes and switches of 40 ports.
func TestRailHoldsForOtherRadices(t *testing.T) {
	for _, row := range []struct{ nodes, leaf, spine int }{
		{20, 8, 4}, {40, 16, 10}, {80, 32, 20},
	} {
		c, err := Rail{Nodes: row.nodes, Radix: 40}.Count()
		if err != nil {
			t.Fatal(err)
		}
		if c.Switches[0] != row.leaf || c.Switches[1] != row.spine {
			t.Errorf("%d nodes on switches of 40 ports have %v, want %d leaves and %d spines", row.nodes, c.Switches, row.leaf, row.spine)
		}
	}
}
