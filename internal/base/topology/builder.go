package topology

import (
	"fmt"

	"weft/units"
)

// builder collects the nodes and cables of a graph. Its callers have checked the sizes. A port with
// two cables is a bug of a caller, so builder panics.
type builder struct {
	g      Graph
	length [cableKinds]units.Length
	next   []int32 // by node: the lowest port that may be free
}

func newBuilder(l Lengths) *builder {
	return &builder{
		g:      Graph{Planes: 1},
		length: l.byKind(),
	}
}

// grow reserves room for the nodes and cables of a Count.
func (b *builder) grow(c Count) {
	n := c.Endpoints + c.Others + c.Services + c.TotalSwitches()
	b.g.Nodes = make([]Node, 0, n)
	b.next = make([]int32, 0, n)
	b.g.Cables = make([]Cable, 0, c.TotalCables())
}

// add adds count nodes of one kind and radix to the graph; fill names them.
func (b *builder) add(kind Kind, level int8, radix, count int, fill func(i int, n *Node)) NodeID {
	first := NodeID(len(b.g.Nodes))
	ports := make([]int32, radix*count)
	for i := range ports {
		ports[i] = -1
	}
	for i := range count {
		n := Node{
			Kind: kind, Level: level, Group: -1, Rail: -1, Plane: -1,
			Cables: ports[i*radix : (i+1)*radix : (i+1)*radix],
		}
		fill(i, &n)
		b.g.Nodes = append(b.g.Nodes, n)
		b.next = append(b.next, 0)
	}
	if kind == Endpoint {
		b.g.Endpoints += count
	}
	return first
}

// free is the lowest port of a node without a cable.
func (b *builder) free(n NodeID) End {
	cs := b.g.Nodes[n].Cables
	p := b.next[n]
	for cs[p] >= 0 {
		p++
	}
	b.next[n] = p + 1
	return End{n, p}
}

// join connects two ports by a cable.
func (b *builder) join(kind CableKind, x, y End) {
	for _, e := range [2]End{x, y} {
		if b.g.Nodes[e.Node].Cables[e.Port] >= 0 {
			panic(fmt.Sprintf("topology: port %d of %s is taken twice", e.Port, b.g.Nodes[e.Node].Name))
		}
		b.g.Nodes[e.Node].Cables[e.Port] = int32(len(b.g.Cables))
	}
	b.g.Cables = append(b.g.Cables, Cable{A: x, B: y, Length: b.length[kind]})
}

// nicName is the name of an endpoint of a host.
func nicName(e, nics int) string { return fmt.Sprintf("node%d/nic%d", e/nics, e%nics) }
