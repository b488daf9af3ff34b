package routing

import (
	"slices"

	"weft/internal/base/topology"
)

// Multipath is what BGP lets each switch use of its equally short paths. Slices are by switch.
type Multipath struct {
	// Most is the number of paths at most, 0 for all: those at the ports with the lowest numbers. BGP's own order is by the
	// addresses of the neighbours, which rise with the ports in most plans of addresses.
	Most []int
	// ASN are the numbers of the autonomous systems, 0 where one is not known. Among paths of as many cables a switch takes
	// those through the fewest systems.
	ASN []uint32
	// Relax lets a switch use paths through different systems beside one another; otherwise the systems of all are those of
	// the path at the port with the lowest number. A switch that does not know all systems of its paths uses all.
	Relax []bool
}

// any reports whether a switch uses fewer paths than there are, or may do so.
func (m *Multipath) any() bool {
	return m != nil && (slices.ContainsFunc(m.Most, func(n int) bool { return n > 0 }) || slices.ContainsFunc(m.ASN, func(n uint32) bool { return n > 0 }))
}

// Limited are the tables with the paths that BGP uses alone.
func (t *Tables) Limited(g *topology.Graph, m *Multipath) (*Tables, error) {
	if !m.any() {
		return t, nil
	}
	limit := m.Of(g, t.Minimal)
	own, err := t.WithSets(limit)
	if err != nil {
		return nil, err
	}
	own.Port = slices.Clone(t.Port)
	for sw := range t.Switches {
		for dst := range t.Endpoints {
			if set := own.Minimal(sw, dst); len(set) > 0 && !slices.Contains(set, t.Static(sw, dst)) {
				own.Port[sw*t.Endpoints+dst] = set[int(t.Order[dst])%len(set)]
			}
		}
	}
	return own, nil
}

// Of are the sets of ports that BGP uses, of the sets with the shortest paths.
func (m *Multipath) Of(g *topology.Graph, shortest func(sw, dst int) []uint16) func(sw, dst int) []uint16 {
	if !m.any() {
		return shortest
	}
	l := &limiter{Multipath: m, g: g, shortest: shortest, known: map[int][]int32{}, ids: map[hop]int32{}, length: []int32{0}}
	return l.set
}

// limiter finds the paths that BGP uses.
type limiter struct {
	*Multipath
	g        *topology.Graph
	shortest func(sw, dst int) []uint16
	known    map[int][]int32 // by destination and switch: the number of the systems of its best path, plus 2; 0: not looked at
	ids      map[hop]int32   // numbers of sequences of systems; 0 is the empty one
	length   []int32         // of each
}

// hop is a sequence of systems: the first, and the number of the rest.
type hop struct {
	asn  uint32
	rest int32
}

// noPath is the number of systems that are not known.
const noPath = -1

// set is the ports of a switch for an endpoint.
func (l *limiter) set(sw, dst int) []uint16 {
	set := l.shortest(sw, dst)
	if len(set) <= 1 || l.far(sw, set[0]) < 0 {
		return set
	}
	set = l.alike(sw, dst, set)
	if most := l.Most[sw]; most > 0 && most < len(set) {
		set = set[:most:most]
	}
	return set
}

// far is the switch at a port; -1 at the port of an endpoint.
func (l *limiter) far(sw int, port uint16) int {
	far, _, _ := l.g.Peer(topology.End{Node: topology.NodeID(l.g.Endpoints + sw), Port: int32(port)})
	return max(-1, int(far.Node)-l.g.Endpoints)
}

// alike are the ports with the paths through the fewest systems, and, without Relax, through the same systems as the first.
func (l *limiter) alike(sw, dst int, set []uint16) []uint16 {
	if l.ASN[sw] == 0 {
		return set
	}
	via := make([]int32, len(set))
	first := int32(noPath)
	for i, port := range set {
		via[i] = l.via(sw, l.far(sw, port), dst)
		if via[i] == noPath {
			return set
		}
		if first == noPath || l.length[via[i]] < l.length[first] {
			first = via[i]
		}
	}
	var kept []uint16
	for i, port := range set {
		if via[i] == first || l.Relax[sw] && l.length[via[i]] == l.length[first] {
			kept = append(kept, port)
		}
	}
	return kept
}

// via is the number of the systems of the path that a switch hears from a neighbour. A neighbour of another system puts its own
// before those of its best path.
func (l *limiter) via(sw, neighbour, dst int) int32 {
	rest, asn := l.best(neighbour, dst), l.ASN[neighbour]
	if rest == noPath || asn == 0 {
		return noPath
	}
	if asn == l.ASN[sw] {
		return rest
	}
	h := hop{asn, rest}
	id, ok := l.ids[h]
	if !ok {
		id = int32(len(l.length))
		l.ids[h], l.length = id, append(l.length, l.length[rest]+1)
	}
	return id
}

// best is the number of the systems of a switch's best path, which it tells its neighbours.
func (l *limiter) best(sw, dst int) int32 {
	known := l.known[dst]
	if known == nil {
		known = make([]int32, len(l.ASN))
		l.known[dst] = known
	}
	if known[sw] == 0 {
		known[sw] = l.found(sw, dst) + 2
	}
	return known[sw] - 2
}

func (l *limiter) found(sw, dst int) int32 {
	set := l.shortest(sw, dst)
	switch {
	case len(set) == 0:
		return noPath
	case l.far(sw, set[0]) < 0:
		return 0
	}
	return l.via(sw, l.far(sw, l.alike(sw, dst, set)[0]), dst)
}
