package plan

import (
	"maps"

	"weft/internal/base/topology"
	"weft/scenario"
)

// Merits are figures of a network that a count of its parts does not show.
type Merits struct {
	RailHops float64 // switches on the way between two NICs of a rail, in the mean over the pairs, by the shortest way
	Planes   int     // separate networks, on each of which a NIC has a port
	Survives int     // switches of which any may fail at a time, so that every two nodes still reach each other by some NICs
	Places   int     // free ports of the leaves, for further NICs, storage and gateways
}

// merits are the figures of a built network.
func merits(shape scenario.Shape, g *topology.Graph) Merits {
	m := Merits{Planes: max(1, g.Planes), RailHops: railHops(shape, g), Survives: survives(shape, g)}
	for i := g.Endpoints; i < len(g.Nodes); i++ {
		if g.Nodes[i].Level == 1 {
			m.Places += places(g, topology.NodeID(i))
		}
	}
	return m
}

// places is the number of ports of a leaf without a cable.
func places(g *topology.Graph, n topology.NodeID) int {
	return len(g.Nodes[n].Cables) - g.Nodes[n].Cabled()
}

// leafOf is the switch at a port of an endpoint.
func leafOf(g *topology.Graph, e, port int) topology.NodeID {
	peer, _, _ := g.Peer(topology.End{Node: topology.NodeID(e), Port: int32(port)})
	return peer.Node
}

// railHops is the mean number of switches between two NICs of the same rail: one on a leaf, three below the same spines,
// five over cores. In a dragonfly it is two in a group and four between groups, at the most.
func railHops(shape scenario.Shape, g *topology.Graph) float64 {
	leaves, groups := map[[2]int32]int{}, map[[2]int32]int{}
	rails := map[int32]int{}
	for e := range g.Compute() {
		rail, leaf := int32(e%max(1, g.NodeNICs)), leafOf(g, e, 0)
		rails[rail]++
		leaves[[2]int32{rail, int32(leaf)}]++
		groups[[2]int32{rail, groupOf(shape, g, leaf)}]++
	}
	pairs := func(n int) float64 { return float64(n) * float64(n-1) }
	var all, near, under float64
	for _, n := range rails {
		all += pairs(n)
	}
	for _, n := range leaves {
		near += pairs(n)
	}
	for _, n := range groups {
		under += pairs(n)
	}
	if all == 0 {
		return 1 // one node
	}
	second, third := 3.0, 5.0
	if shape == scenario.Dragonfly {
		second, third = 2, 4
	}
	return (near + second*(under-near) + third*(all-under)) / all
}

// groupOf is the group of leaves that share spines: the first spine of a leaf, or the group of a dragonfly.
func groupOf(shape scenario.Shape, g *topology.Graph, leaf topology.NodeID) int32 {
	if shape == scenario.Dragonfly {
		return g.Nodes[leaf].Group
	}
	for port := range g.Nodes[leaf].Cables {
		if peer, _, ok := g.Peer(topology.End{Node: leaf, Port: int32(port)}); ok && g.Nodes[peer.Node].Level == 2 {
			return int32(peer.Node)
		}
	}
	return int32(leaf)
}

// survives is one less than the switches that part two nodes: all leaves of one, or, if not all nodes share their leaves, all
// spines that join them.
func survives(shape scenario.Shape, g *topology.Graph) int {
	least, shared := 0, true
	var first map[topology.NodeID]bool
	for node := 0; (node+1)*g.NodeNICs <= g.Compute(); node++ {
		own := map[topology.NodeID]bool{}
		for e := node * g.NodeNICs; e < (node+1)*g.NodeNICs; e++ {
			for port := range g.Nodes[e].Cables {
				own[leafOf(g, e, port)] = true
			}
		}
		if node == 0 {
			first, least = own, len(own)
		}
		least = min(least, len(own))
		shared = shared && maps.Equal(first, own)
	}
	if n := upper(g); n > 0 && !shared && shape != scenario.Dragonfly {
		least = min(least, n)
	}
	return max(0, least-1)
}

// upper is the number of spines that join all leaves: of a network without cores all of them, with cores those of a group; 0 without
// spines.
func upper(g *topology.Graph) int {
	spines := map[int32]int{} // by the group that they serve
	cores := 0
	for i := g.Endpoints; i < len(g.Nodes); i++ {
		switch n := &g.Nodes[i]; n.Level {
		case 2:
			spines[n.Group]++
		case 3:
			cores++
		}
	}
	least := 0
	for _, n := range spines {
		if least == 0 || n < least {
			least = n
		}
	}
	if cores > 0 {
		least = min(least, cores)
	}
	return least
}
