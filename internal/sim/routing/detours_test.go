package routing_test

import (
	"slices"
	"testing"

	"weft/internal/base/topology"
	"weft/internal/sim/routing"
)

// spineHosts is two leaves and two spines, each with a cable to each; endpoints 0 and 1 at the leaves, 2 and 3 at the spines.
func spineHosts(t *testing.T) *topology.Graph {
	t.Helper()
	devices := []topology.ListedDevice{{Name: "h0/a"}, {Name: "h1/a"}, {Name: "s0/a"}, {Name: "s1/a"}}
	for i, level := range []int8{1, 1, 2, 2} {
		devices = append(devices, topology.ListedDevice{Name: []string{"leaf0", "leaf1", "spine0", "spine1"}[i], Level: level, Ports: 4, Group: -1})
	}
	g, err := topology.Listed{Endpoints: 4, Devices: devices, Links: []topology.ListedLink{
		{A: 0, B: 4}, {A: 1, B: 5}, {A: 2, B: 6}, {A: 3, B: 7}, {A: 4, B: 6}, {A: 4, B: 7}, {A: 5, B: 6}, {A: 5, B: 7},
	}}.Build()
	if err != nil {
		t.Fatal(err)
	}
	if g.Family != topology.FamilyTree {
		t.Fatalf("family %d, want a tree", g.Family)
	}
	return g
}

// TestEndpointsOfSpinesAreReached: every endpoint reaches every other one, also after each single fault between switches,
// and each hop is nearer.
func TestEndpointsOfSpinesAreReached(t *testing.T) {
	g := spineHosts(t)
	for broken := 3; broken < len(g.Cables); broken++ { // 3: none between switches
		down := make([]bool, len(g.Cables))
		down[broken] = broken > 3
		r := routing.NewDetours(g, down)
		for sw := range g.Switches() {
			for dst := range g.Endpoints {
				ports := r.Set(sw, dst)
				if len(ports) == 0 {
					t.Fatalf("without cable %d %s has no way to %s", broken, g.Nodes[g.Endpoints+sw].Name, g.Nodes[dst].Name)
				}
				leaf := slices.IndexFunc(g.Nodes[g.Endpoints:], func(n topology.Node) bool { return n.Cables[0] == g.Nodes[dst].Cables[0] })
				for _, p := range ports {
					far, c, _ := g.Peer(topology.End{Node: topology.NodeID(g.Endpoints + sw), Port: int32(p)})
					if down[c] {
						t.Errorf("%s sends over the broken cable %d", g.Nodes[g.Endpoints+sw].Name, c)
					}
					if to := int(far.Node) - g.Endpoints; to >= 0 && r.Distances(leaf)[to] >= r.Distances(leaf)[sw] {
						t.Errorf("without cable %d %s sends to %s, which is no nearer to %s", broken, g.Nodes[g.Endpoints+sw].Name, g.Nodes[far.Node].Name, g.Nodes[dst].Name)
					}
				}
			}
		}
	}
}
