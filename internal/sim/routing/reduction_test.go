package routing_test

import (
	"testing"

	"weft/internal/base/topology"
	"weft/internal/sim/routing"
)

// TestReductionTreesReachEveryMemberOnce walks a tree from its root and compares the
// endpoints that it reaches with the members.
func TestReductionTreesReachEveryMemberOnce(t *testing.T) {
	for name, spec := range map[string]topology.Spec{
		"one switch":   topology.SingleSwitch{Endpoints: 9, Radix: 12},
		"three levels": topology.KAry{K: 4},
		"torus":        topology.Torus{Dims: []int{3, 3}, SwitchEndpoints: 1},
		"dragonfly":    topology.Dragonfly{P: 2, A: 4, H: 2},
		"dragonfly+":   topology.DragonflyPlus{Groups: 3, Leaves: 2, Spines: 2, LeafEndpoints: 2, SpineGlobals: 1},
	} {
		g, err := spec.Build()
		if err != nil {
			t.Fatal(err)
		}
		for _, members := range [][]topology.NodeID{{0}, {0, 1}, {1, 5, 7, 8}} {
			tree, err := routing.ReductionTree(g, ends(members...), 3, nil)
			if err != nil {
				t.Fatal(err)
			}
			at := make(map[topology.NodeID]*routing.ReductionNode)
			var root *routing.ReductionNode
			for i := range tree {
				at[tree[i].Switch] = &tree[i]
				if tree[i].Parent < 0 {
					root = &tree[i]
				}
			}
			seen := make(map[topology.NodeID]int)
			switches := 0
			var walk func(n *routing.ReductionNode)
			walk = func(n *routing.ReductionNode) {
				switches++
				for _, c := range n.Children {
					far, _, _ := g.Peer(topology.End{Node: n.Switch, Port: c})
					if g.Nodes[far.Node].Kind == topology.Endpoint {
						seen[far.Node]++
					} else if below := at[far.Node]; below == nil || below.Parent != far.Port {
						t.Fatalf("%s: %s has a child that does not know it", name, g.Nodes[n.Switch].Name)
					} else {
						walk(below)
					}
				}
			}
			walk(root)
			if switches != len(tree) || len(seen) != len(members) {
				t.Errorf("%s: of %d switches the root reaches %d, and %d of %d members", name, len(tree), switches, len(seen), len(members))
			}
			for _, m := range members {
				if seen[m] != 1 {
					t.Errorf("%s: member %d is reached %d times", name, m, seen[m])
				}
			}
		}
	}
}

// ends are the first ports of some nodes.
func ends(nodes ...topology.NodeID) (list []topology.End) {
	for _, n := range nodes {
		list = append(list, topology.End{Node: n})
	}
	return list
}

// TestReductionTreesTakeDifferentRoots: each rail's reductions have a root of their
// own, so that no two of them share a port.
func TestReductionTreesTakeDifferentRoots(t *testing.T) {
	g, err := topology.KAry{K: 4}.Build()
	if err != nil {
		t.Fatal(err)
	}
	roots := make(map[topology.NodeID]bool)
	for number := range 4 {
		tree, err := routing.ReductionTree(g, ends(0, 15), number, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range tree {
			if n.Parent < 0 {
				roots[n.Switch] = true
			}
		}
	}
	if len(roots) != 4 {
		t.Errorf("four trees have %d roots", len(roots))
	}
}

// TestTreesOfFreePortsShareNone: ports of earlier trees are not free, so pairs of leaves
// of two levels get trees until the uplinks are used up, and then an error with the reason.
func TestTreesOfFreePortsShareNone(t *testing.T) {
	g, err := topology.TwoLevel{Endpoints: 8, Radix: 16, LeafEndpoints: 4, Oversubscription: topology.Ratio{Down: 4, Up: 3}, Spines: 3}.Build()
	if err != nil {
		t.Fatal(err)
	}
	taken := make(map[topology.End]bool)
	for pair := range 4 {
		tree, err := routing.ReductionTree(g, ends(topology.NodeID(pair), topology.NodeID(4+pair)), 0, func(port topology.End) bool { return !taken[port] })
		if (err == nil) != (pair < 3) {
			t.Fatalf("pair %d: %v", pair, err)
		}
		for _, n := range tree {
			for _, port := range append([]int32{n.Parent}, n.Children...) {
				at := topology.End{Node: n.Switch, Port: port}
				if port >= 0 && taken[at] {
					t.Errorf("pair %d takes port %d of %s again", pair, port, g.Nodes[n.Switch].Name)
				}
				taken[at] = true
			}
		}
	}
}

// TestATreeBeginsWhereItsMembersMeet: switches above are left out.
func TestATreeBeginsWhereItsMembersMeet(t *testing.T) {
	g, err := topology.KAry{K: 4}.Build()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		members  []topology.NodeID
		switches int
	}{{[]topology.NodeID{0, 1}, 1}, {[]topology.NodeID{0, 3}, 3}, {[]topology.NodeID{0, 15}, 5}} {
		tree, err := routing.ReductionTree(g, ends(c.members...), 0, nil)
		if err != nil || len(tree) != c.switches {
			t.Errorf("members %v have a tree of %d switches (%v), want %d", c.members, len(tree), err, c.switches)
		}
	}
}
