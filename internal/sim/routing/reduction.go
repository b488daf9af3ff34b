package routing

import (
	"fmt"
	"slices"

	"weft/internal/base/topology"
)

// ReductionNode is a switch in a tree of reductions in the network.
type ReductionNode struct {
	Switch   topology.NodeID
	Parent   int32   // its port towards the root; -1 at the root
	Children []int32 // its ports towards members and switches below, ascending
}

// ReductionTree is a tree of switches that connects the members' ports, by shortest paths from a
// root. The root is a switch of the highest level of the members' plane; if all switches have the
// same level, it is the leaf of a member. Trees with different numbers take different roots. A root
// with only one switch below it and no member is left out: the members' leaf is the root if they
// share one. Switches come in the order of their numbers.
//
// free, if not nil, reports whether a tree may use a port of a switch. If the root of its number
// leads to no tree, other roots are tried, at most maxRoots. It is an error if members are on
// several planes, or if there is no tree.
//
// NVIDIA's Aggregation Manager documents where it makes trees: fat trees, quasi fat trees and
// DragonFly+. It also documents that it tries to leave links and switches free for later jobs
// (SHARP 3.13.0, appendix A), but not its method. This rule is weft's own.
func ReductionTree(g *topology.Graph, members []topology.End, number int, free func(port topology.End) bool) ([]ReductionNode, error) {
	if len(members) == 0 {
		return nil, fmt.Errorf("a reduction has no members")
	}
	if free == nil {
		free = func(topology.End) bool { return true }
	}
	b := reductionBuilder{g: g, free: free, up: make([]int32, len(g.Nodes)), seen: make([]bool, len(g.Nodes))}
	roots, err := b.roots(members)
	if err != nil {
		return nil, err
	}
	for i := range min(len(roots), maxRoots) {
		root := roots[(number+i)%len(roots)]
		if err = b.tree(root, members); err == nil {
			return b.sorted(root), nil
		}
	}
	return nil, err
}

// maxRoots bounds the number of roots that are tried for a tree: as many as a spine has ports,
// which covers all spines of two levels.
const maxRoots = 64

// reductionBuilder makes one tree.
type reductionBuilder struct {
	g     *topology.Graph
	free  func(topology.End) bool
	up    []int32 // by node: port towards the root; -1 if there is no path
	seen  []bool
	nodes map[topology.NodeID]*ReductionNode
}

// roots are the possible roots of a tree of the members.
func (b *reductionBuilder) roots(members []topology.End) ([]topology.NodeID, error) {
	var leaves, tops []topology.NodeID
	for _, m := range members {
		far, _, ok := b.g.Peer(m)
		if !ok {
			return nil, fmt.Errorf("port %d of %s has no cable", m.Port+1, b.g.Nodes[m.Node].Name)
		}
		leaves = append(leaves, far.Node)
	}
	plane, top := b.g.Nodes[leaves[0]].Plane, int8(0)
	for i, leaf := range leaves {
		if b.g.Nodes[leaf].Plane != plane {
			return nil, fmt.Errorf("%s and %s are on planes that no cable connects", b.g.Nodes[members[0].Node].Name, b.g.Nodes[members[i].Node].Name)
		}
	}
	for id := b.g.Endpoints; id < len(b.g.Nodes); id++ {
		nd := &b.g.Nodes[id]
		if nd.Plane != plane {
			continue
		}
		if nd.Level > top {
			top, tops = nd.Level, tops[:0]
		}
		if nd.Level == top {
			tops = append(tops, topology.NodeID(id))
		}
	}
	if top <= 1 {
		slices.Sort(leaves)
		tops = slices.Compact(leaves)
	}
	return tops, nil
}

// tree is the tree of a root.
func (b *reductionBuilder) tree(root topology.NodeID, members []topology.End) error {
	b.nodes = make(map[topology.NodeID]*ReductionNode)
	b.search(root)
	for _, m := range members {
		if err := b.join(m, root); err != nil {
			return err
		}
	}
	return nil
}

// sorted is the tree without the switches above its members' common root.
func (b *reductionBuilder) sorted(root topology.NodeID) []ReductionNode {
	for {
		n := b.nodes[root]
		far, _, _ := b.g.Peer(topology.End{Node: root, Port: n.Children[0]})
		if len(n.Children) > 1 || b.g.Nodes[far.Node].Kind == topology.Endpoint {
			break
		}
		delete(b.nodes, root)
		root = far.Node
		b.nodes[root].Parent = -1
	}
	tree := make([]ReductionNode, 0, len(b.nodes))
	for id := range b.g.Nodes {
		if n := b.nodes[topology.NodeID(id)]; n != nil {
			tree = append(tree, *n)
		}
	}
	return tree
}

// search does a breadth-first search from the root and records each switch's port towards the root.
func (b *reductionBuilder) search(root topology.NodeID) {
	for i := range b.up {
		b.up[i], b.seen[i] = -1, false
	}
	b.seen[root] = true
	for queue := []topology.NodeID{root}; len(queue) > 0; queue = queue[1:] {
		for port := range b.g.Nodes[queue[0]].Cables {
			near := topology.End{Node: queue[0], Port: int32(port)}
			far, _, ok := b.g.Peer(near)
			if !ok || b.seen[far.Node] || b.g.Nodes[far.Node].Kind != topology.Switch || !b.free(near) || !b.free(far) {
				continue
			}
			b.seen[far.Node], b.up[far.Node] = true, far.Port
			queue = append(queue, far.Node)
		}
	}
}

// join adds the path from a member to the root.
func (b *reductionBuilder) join(at topology.End, root topology.NodeID) error {
	m := at.Node
	for {
		far, _, ok := b.g.Peer(at)
		if at.Node == m && ok && !b.free(far) {
			return fmt.Errorf("another tree has the place of %s at %s", b.g.Nodes[m].Name, b.g.Nodes[far.Node].Name)
		}
		if !ok || far.Node != root && b.up[far.Node] < 0 {
			return fmt.Errorf("no ports are left for a tree from %s to %s", b.g.Nodes[m].Name, b.g.Nodes[root].Name)
		}
		n, known := b.nodes[far.Node]
		if !known {
			n = &ReductionNode{Switch: far.Node, Parent: b.up[far.Node]}
			b.nodes[far.Node] = n
		}
		if i, there := slices.BinarySearch(n.Children, far.Port); !there {
			n.Children = slices.Insert(n.Children, i, far.Port)
		}
		if known || far.Node == root {
			return nil
		}
		at = topology.End{Node: far.Node, Port: n.Parent}
	}
}
