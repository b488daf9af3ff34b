package topology

import (
	"cmp"
	"fmt"

	"weft/units"
)

// Listed is a fabric of any form, given cable by cable. The endpoints have the first numbers, host
// by host; the switches follow. Every endpoint has one cable, to a switch.
//
// A switch with endpoints is a leaf, a switch next to a leaf is a spine, and all others are cores.
type Listed struct {
	Endpoints int
	NodeNICs  int // endpoints of a host; 0 is 1
	Radix     int // ports of each switch; 0: as many as its cables
	Links     []ListedLink
}

// ListedLink is Count equal cables between two numbered nodes; a Count of 0 is 1.
type ListedLink struct {
	A, B   int
	Count  int
	Length units.Length
	Rate   units.Rate // 0: the rate of the fabric
}

func (l ListedLink) count() int { return cmp.Or(l.Count, 1) }

// degrees are the numbers of cables of the nodes.
func (s Listed) degrees() ([]int, error) {
	cables, last := 0, s.Endpoints-1
	for i, l := range s.Links {
		if err := checkSizes(size{fmt.Sprintf("the number of cables of link %d", i), l.count(), 1, maxRadix}); err != nil {
			return nil, err
		}
		if min(l.A, l.B) < 0 || max(l.A, l.B) >= 2*maxEndpoints || l.A == l.B || l.A < s.Endpoints && l.B < s.Endpoints {
			return nil, fmt.Errorf("link %d joins %d and %d: a link joins two nodes, of which one at least is a switch, from %d on", i, l.A, l.B, s.Endpoints)
		}
		cables, last = cables+l.count(), max(last, l.A, l.B)
	}
	if cables > maxEndpoints {
		return nil, fmt.Errorf("the links have %d cables: there may be %d", cables, maxEndpoints)
	}
	out := make([]int, last+1)
	for _, l := range s.Links {
		out[l.A] += l.count()
		out[l.B] += l.count()
	}
	for node, n := range out {
		switch {
		case node < s.Endpoints && n != 1:
			return nil, fmt.Errorf("NIC %d has %d cables: each has one", node, n)
		case n == 0:
			return nil, fmt.Errorf("switch %d has no cable: numbers of switches go from %d to %d without a gap", node, s.Endpoints, last)
		case s.Radix > 0 && node >= s.Endpoints && n > s.Radix:
			return nil, fmt.Errorf("switch %d has %d cables and %d ports", node, n, s.Radix)
		}
	}
	return out, nil
}

// levels are the levels of all nodes, by the distance of a switch from a switch with endpoints.
func (s Listed) levels(nodes int) []int8 {
	const highest = 3
	out := make([]int8, nodes)
	for level := range int8(highest) {
		for _, l := range s.Links {
			for _, end := range [2][2]int{{l.A, l.B}, {l.B, l.A}} {
				if from, to := end[0], end[1]; to >= s.Endpoints && out[to] == 0 && out[from] == level && (from < s.Endpoints) == (level == 0) {
					out[to] = level + 1
				}
			}
		}
	}
	for i := s.Endpoints; i < nodes; i++ {
		if out[i] == 0 {
			out[i] = highest
		}
	}
	return out
}

// Count implements Spec.
func (s Listed) Count() (Count, error) {
	g, err := s.Build()
	if err != nil {
		return Count{}, err
	}
	return Tally(g), nil
}

// Build implements Spec.
func (s Listed) Build() (*Graph, error) {
	nics := cmp.Or(s.NodeNICs, 1)
	err := checkSizes(size{"the number of endpoints", s.Endpoints, 1, maxEndpoints}, size{"the number of NICs of a node", nics, 1, maxEndpoints}, size{"the radix", s.Radix, 0, maxRadix})
	if err != nil {
		return nil, err
	}
	degrees, err := s.degrees()
	if err != nil {
		return nil, err
	}
	levels := s.levels(len(degrees))
	b := newBuilder(Lengths{}, Rates{})
	b.add(Endpoint, 0, 1, s.Endpoints, func(e int, n *Node) { n.Name = nicName(e, nics) })
	for i := s.Endpoints; i < len(degrees); i++ {
		b.add(Switch, levels[i], cmp.Or(s.Radix, degrees[i]), 1, func(_ int, n *Node) {
			n.Name = fmt.Sprintf("switch%d", i)
		})
	}
	for _, l := range s.Links {
		for range l.count() {
			x, y := b.free(NodeID(l.A)), b.free(NodeID(l.B))
			b.join(Local, x, y)
			c := &b.g.Cables[len(b.g.Cables)-1]
			c.Length, c.Rate = l.Length, l.Rate
		}
	}
	b.g.NodeNICs, b.g.Family = nics, FamilyListed
	return &b.g, nil
}
