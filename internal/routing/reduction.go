package routing

import (
	"fmt"
	"slices"

	"weft/internal/topology"
)

// ReductionNode is a switch of a tree of reductions in the network.
type ReductionNode struct {
	Switch   topology.NodeID
	Parent   int32   // its port towards the root; -1 at the root
	Children []int32 // its ports towards members and switches below, ascending
}

// ReductionTree is a tree of switches that joins the members' ports on a plane, as
// SHARP's aggregation manager makes them: shortest paths from a root, which is the
// members' leaf if they share one, and else a switch of the highest level. Of
// those, trees with different numbers take different ones. Switches come in the
// order of their numbers.
func ReductionTree(g *topology.Graph, members []topology.NodeID, plane, number int) ([]ReductionNode, error) {
	if len(members) == 0 {
		return nil, fmt.Errorf("a reduction has no members")
	}
	b := reductionBuilder{g: g, plane: plane, up: make([]int32, len(g.Nodes)), nodes: make(map[topology.NodeID]*ReductionNode)}
	leaf, shared := b.leaf(members[0]), true
	for _, m := range members[1:] {
		shared = shared && b.leaf(m) == leaf
	}
	root := leaf
	if !shared {
		root = b.root(number)
	}
	b.search(root)
	for _, m := range members {
		if err := b.join(m, root); err != nil {
			return nil, err
		}
	}
	tree := make([]ReductionNode, 0, len(b.nodes))
	for id := range g.Nodes {
		if n := b.nodes[topology.NodeID(id)]; n != nil {
			tree = append(tree, *n)
		}
	}
	return tree, nil
}

// reductionBuilder makes one tree.
type reductionBuilder struct {
	g     *topology.Graph
	plane int
	up    []int32 // by node: port towards the root; -1 if there is no way
	nodes map[topology.NodeID]*ReductionNode
}

// leaf is the switch at a member's port on the plane.
func (b *reductionBuilder) leaf(m topology.NodeID) topology.NodeID {
	far, _, ok := b.g.Peer(topology.End{Node: m, Port: b.port(m)})
	if !ok {
		return -1
	}
	return far.Node
}

// port is the member's port on the plane.
func (b *reductionBuilder) port(m topology.NodeID) int32 {
	if len(b.g.Nodes[m].Cables) > b.plane {
		return int32(b.plane)
	}
	return 0
}

// root is the number-th switch of the highest level, around.
func (b *reductionBuilder) root(number int) topology.NodeID {
	var tops []topology.NodeID
	top := int8(0)
	for id := b.g.Endpoints; id < len(b.g.Nodes); id++ {
		nd := &b.g.Nodes[id]
		if b.g.Planes > 1 && int(nd.Plane) != b.plane {
			continue
		}
		if nd.Level > top {
			top, tops = nd.Level, tops[:0]
		}
		if nd.Level == top {
			tops = append(tops, topology.NodeID(id))
		}
	}
	return tops[number%len(tops)]
}

// search goes breadth first from the root and notes at each switch the port back.
func (b *reductionBuilder) search(root topology.NodeID) {
	for i := range b.up {
		b.up[i] = -1
	}
	seen := make([]bool, len(b.g.Nodes))
	seen[root] = true
	for queue := []topology.NodeID{root}; len(queue) > 0; queue = queue[1:] {
		for port := range b.g.Nodes[queue[0]].Cables {
			far, _, ok := b.g.Peer(topology.End{Node: queue[0], Port: int32(port)})
			if !ok || seen[far.Node] || b.g.Nodes[far.Node].Kind != topology.Switch {
				continue
			}
			seen[far.Node], b.up[far.Node] = true, far.Port
			queue = append(queue, far.Node)
		}
	}
}

// join adds the way from a member to the root.
func (b *reductionBuilder) join(m, root topology.NodeID) error {
	at := topology.End{Node: m, Port: b.port(m)}
	for {
		far, _, ok := b.g.Peer(at)
		if !ok || far.Node != root && b.up[far.Node] < 0 {
			return fmt.Errorf("%s has no way to %s, the root of the reduction", b.g.Nodes[m].Name, b.g.Nodes[root].Name)
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
