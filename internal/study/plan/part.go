package plan

import (
	"slices"

	"weft/internal/base/topology"
)

// used are the leaves of a tree that some of its nodes need, the first ones: the leaves of the nodes, and in each plane
// the next ones until enough ports for further hosts are free.
func used(g *topology.Graph, nodes, spare int) map[topology.NodeID]bool {
	out := map[topology.NodeID]bool{}
	endpoints := min(nodes*g.NodeNICs, g.Endpoints)
	for e := range endpoints {
		for port := range g.Nodes[e].Cables {
			if peer, _, ok := g.Peer(topology.End{Node: topology.NodeID(e), Port: int32(port)}); ok {
				out[peer.Node] = true
			}
		}
	}
	free := map[int32]int{} // by plane: ports that are not for other switches
	for n := range out {
		free[g.Nodes[n].Plane] += down(g, n)
	}
	for i := g.Endpoints; i < len(g.Nodes); i++ {
		n, plane := topology.NodeID(i), g.Nodes[i].Plane
		if g.Nodes[i].Level == 1 && !out[n] && free[plane] < endpoints+spare {
			out[n] = true
			free[plane] += down(g, n)
		}
	}
	return out
}

// down is the number of ports of a leaf that lead to no other switch.
func down(g *topology.Graph, n topology.NodeID) (ports int) {
	for port := range g.Nodes[n].Cables {
		if peer, _, ok := g.Peer(topology.End{Node: n, Port: int32(port)}); !ok || g.Nodes[peer.Node].Level == 0 {
			ports++
		}
	}
	return ports
}

// part is a tree with its first nodes, the leaves that they need, and all switches above.
func part(g *topology.Graph, nodes, spare int) *topology.Graph {
	leaves, endpoints := used(g, nodes, spare), min(nodes*g.NodeNICs, g.Endpoints)
	to := make([]topology.NodeID, len(g.Nodes))
	out := &topology.Graph{Endpoints: endpoints, NodeNICs: g.NodeNICs, Planes: g.Planes, Family: g.Family}
	for i, n := range g.Nodes {
		to[i] = -1
		if keep := n.Level > 1 || n.Level == 1 && leaves[topology.NodeID(i)] || i < endpoints; keep {
			to[i] = topology.NodeID(len(out.Nodes))
			n.Cables = slices.Repeat([]int32{-1}, len(n.Cables))
			out.Nodes = append(out.Nodes, n)
		}
	}
	for _, c := range g.Cables {
		a, b := to[c.A.Node], to[c.B.Node]
		if a < 0 || b < 0 {
			continue
		}
		c.A.Node, c.B.Node = a, b
		for _, e := range []topology.End{c.A, c.B} {
			out.Nodes[e.Node].Cables[e.Port] = int32(len(out.Cables))
		}
		out.Cables = append(out.Cables, c)
	}
	return out
}
