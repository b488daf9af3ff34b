package topology

import (
	"strings"
	"testing"
)

// A rack of 18 trays with four NICs each has four rails, not 72. Two racks share no leaves
// if the leaves have no ports left for a whole rack.
func TestTheTraysOfARackShareItsRails(t *testing.T) {
	for racks, want := range map[int][3]int{1: {4, 2, 0}, 8: {32, 9, 0}, 20: {80, 72, 36}} {
		g, err := Rail{Nodes: racks, Rails: 4, Trays: 18}.Build()
		if err != nil {
			t.Fatal(err)
		}
		if err := Validate(g); err != nil {
			t.Fatal(err)
		}
		if got := Tally(g); got.Switches != want || got.Nodes != racks || got.Endpoints != 72*racks {
			t.Errorf("%d racks: %+v, want %v switches", racks, got, want)
		}
		leaves := map[NodeID]bool{}
		for e := range g.Endpoints {
			n := &g.Nodes[e]
			if n.Rail != int32(e%4) || n.Group != int32(e/72) {
				t.Fatalf("%s is on rail %d of unit %d", n.Name, n.Rail, n.Group)
			}
			c := g.Cables[n.Cables[0]]
			leaves[max(c.A.Node, c.B.Node)] = true
		}
		if len(leaves) != 4*racks || g.Nodes[71].Name != "node0/nic71" {
			t.Errorf("%d racks fill %d leaves; the last NIC of the first is %s", racks, len(leaves), g.Nodes[71].Name)
		}
	}
}

// TestPartsWithoutACableAreToldOnce: two rails apart are one problem with the way out, not one for each NIC.
func TestPartsWithoutACableAreToldOnce(t *testing.T) {
	g, err := Listed{Endpoints: 6, Links: []ListedLink{{A: 0, B: 6}, {A: 2, B: 6}, {A: 4, B: 6}, {A: 1, B: 7}, {A: 3, B: 7}, {A: 5, B: 7}}}.Build()
	if err != nil {
		t.Fatal(err)
	}
	for e, name := range []string{"a/x", "a/y", "b/x", "b/y", "c/x", "c/y"} {
		g.Nodes[e].Name = name
	}
	err = Validate(g)
	if err == nil || strings.Count(err.Error(), "\n") > 0 || !strings.Contains(err.Error(), "has no path to") || !strings.Contains(err.Error(), "of 3 and of 3 NICs") || !strings.HasSuffix(err.Error(), "cluster.adapters: [x]") {
		t.Errorf("%v, want one line about two parts of 3 NICs", err)
	}
}
