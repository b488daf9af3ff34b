package routing_test

import (
	"testing"

	"weft/internal/routing"
	"weft/internal/topology"
)

// TestReductionTreesReachEveryMemberOnce walks a tree from its root and holds what
// it meets against the members.
func TestReductionTreesReachEveryMemberOnce(t *testing.T) {
	for name, spec := range map[string]topology.Spec{
		"one switch":   topology.SingleSwitch{Endpoints: 9, Radix: 12},
		"three levels": topology.KAry{K: 4},
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
