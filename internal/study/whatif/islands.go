package whatif

import (
	"weft/internal/base/topology"
	"weft/internal/ib/subnet"
	"weft/units"
)

// union is a partition of things by number.
type union []int

func newUnion(n int) union {
	u := make(union, n)
	for i := range u {
		u[i] = i
	}
	return u
}

func (u union) find(x int) int {
	for u[x] != x {
		u[x] = u[u[x]]
		x = u[x]
	}
	return x
}

func (u union) join(x, y int) { u[u.find(x)] = u.find(y) }

// islands are the parts of a whole subnet without a cable between them, such as rails without spines, by the GUIDs of nodes.
// An adapter with a port on each of several planes joins none of them.
type islands map[units.GUID]int

func islandsOf(s *subnet.Subnet) islands {
	u := newUnion(len(s.Nodes))
	for i := range s.Nodes {
		for p := range s.Nodes[i].Ports {
			if far := s.Nodes[i].Ports[p].Peer; far.Exists() && s.Nodes[i].Kind == s.Nodes[far.Node].Kind {
				u.join(i, int(far.Node))
			}
		}
	}
	of := islands{}
	for i := range s.Nodes {
		of[s.Nodes[i].GUID] = u.find(i)
	}
	return of
}

// pairs are the pairs of ports of adapters of one island, in one direction, that have a cable in a subnet.
func (of islands) pairs(s *subnet.Subnet) (pairs int64) {
	ends := map[int]int64{}
	for i := range s.Nodes {
		if n := &s.Nodes[i]; n.Kind != subnet.Switch {
			for p := range n.Ports {
				if far := n.Ports[p].Peer; far.Exists() {
					ends[of[s.Nodes[far.Node].GUID]]++
				}
			}
		}
	}
	for _, n := range ends {
		pairs += n * (n - 1)
	}
	return pairs
}

// islandsIn are the islands of a graph, by endpoint, numbered from 0.
func islandsIn(g *topology.Graph) []int {
	u := newUnion(len(g.Nodes))
	for i := range g.Cables {
		u.join(int(g.Cables[i].A.Node), int(g.Cables[i].B.Node))
	}
	number, of := map[int]int{}, make([]int, g.Endpoints)
	for e := range of {
		root := u.find(e)
		if _, known := number[root]; !known {
			number[root] = len(number)
		}
		of[e] = number[root]
	}
	return of
}
