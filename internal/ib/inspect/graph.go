package inspect

import (
	"cmp"
	"slices"

	"weft/internal/base/sorting"
	"weft/internal/ib/subnet"
)

// graph is the switches of a subnet and their neighbours. The cables of a pair are one edge.
// Switches are numbered as in Tables.
type graph struct {
	s     *subnet.Subnet
	names names
	node  []int32 // by switch: index into Nodes
	dense []int32 // inverse of node; see number

	near  [][]neighbour  // by switch: its neighbours in rising order
	hosts [][]subnet.End // by switch: the adapter ports on it
	extra [][]subnet.End // by switch: aggregation nodes and routers on it
}

// neighbour is a switch cabled to another, and the cables between them.
type neighbour struct {
	to    int32
	ports []uint16 // of the first switch
}

// newGraph makes the graph of the given switches, without links to other switches. dense has room
// for all nodes. Graphs without a common switch can share it: a file of thousands of switches
// without a cable has as many graphs.
func newGraph(s *subnet.Subnet, names names, switches, dense []int32) *graph {
	g := &graph{
		s: s, names: names, node: switches, dense: dense, near: make([][]neighbour, len(switches)),
		hosts: make([][]subnet.End, len(switches)), extra: make([][]subnet.End, len(switches)),
	}
	for sw, node := range switches {
		g.dense[node] = int32(sw)
	}
	for sw, node := range g.node {
		ports := map[int32][]uint16{}
		for p := 1; p < len(s.Nodes[node].Ports); p++ {
			far := s.Nodes[node].Ports[p].Peer
			if !far.Exists() {
				continue
			}
			switch n := &s.Nodes[far.Node]; {
			case n.Kind == subnet.Switch:
				if to := g.number(far.Node); to >= 0 && to != int32(sw) {
					ports[to] = append(ports[to], uint16(p))
				}
			case n.Kind == subnet.Router || isAggregation(n):
				g.extra[sw] = append(g.extra[sw], far)
			default:
				g.hosts[sw] = append(g.hosts[sw], far)
			}
		}
		for to, list := range ports {
			g.near[sw] = append(g.near[sw], neighbour{to, list})
		}
		sorting.Func(g.near[sw], func(a, b neighbour) int { return cmp.Compare(a.to, b.to) })
	}
	return g
}

// number is a switch's number, -1 for a node outside the graph.
func (g *graph) number(node int32) int32 {
	if sw := g.dense[node]; int(sw) < len(g.node) && g.node[sw] == node {
		return sw
	}
	return -1
}

// adapters is the number of adapter ports on the switches.
func (g *graph) adapters() (n int) {
	for _, on := range g.hosts {
		n += len(on)
	}
	return n
}

// cables is the number of cables between two switches.
func (g *graph) cables(a, b int32) int { return len(g.ports(a, b)) }

// ports is the ports of a that lead to b.
func (g *graph) ports(a, b int32) []uint16 {
	i, ok := slices.BinarySearchFunc(g.near[a], b, func(n neighbour, to int32) int { return cmp.Compare(n.to, to) })
	if !ok {
		return nil
	}
	return g.near[a][i].ports
}

// name is the name of a switch in messages.
func (g *graph) name(sw int32) string { return g.names.of(g.node[sw]) }

// freePorts are the ports of a switch without a cable.
func (g *graph) freePorts(sw int32) []uint16 {
	var free []uint16
	n := &g.s.Nodes[g.node[sw]]
	for p := 1; p < len(n.Ports); p++ {
		if !n.Ports[p].Peer.Exists() {
			free = append(free, uint16(p))
		}
	}
	return free
}

// components numbers the connected parts of the graph; only links that keep allows count.
func (g *graph) components(keep func(a, b int32) bool) (of []int32, count int) {
	of = make([]int32, len(g.node))
	for i := range of {
		of[i] = -1
	}
	var stack []int32
	for i := range of {
		if of[i] >= 0 {
			continue
		}
		of[i] = int32(count)
		stack = append(stack[:0], int32(i))
		for len(stack) > 0 {
			at := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			for _, n := range g.near[at] {
				if of[n.to] < 0 && keep(at, n.to) {
					of[n.to] = int32(count)
					stack = append(stack, n.to)
				}
			}
		}
		count++
	}
	return of, count
}

// usual is the value of at least half of the elements; ok is false if there is none. Of two such
// values it is the greater.
func usual(values []int) (value int, ok bool) {
	count := map[int]int{}
	for _, v := range values {
		count[v]++
	}
	best := 0
	for v, n := range count {
		if n > best || n == best && v > value {
			value, best = v, n
		}
	}
	return value, 2*best >= len(values) && best > 0
}
