package inspect

import "slices"

// levelsOf gives each switch its distance from the leaves: 0 for a leaf, -1 for a switch
// that no leaf reaches.
//
// Leaves are the switches with hosts. A switch with at most few of them is what its peers are: a
// spine with a gateway is no leaf, and a leaf without hosts is no spine. A single cable from a leaf
// to a core makes the core no spine: more than a quarter of a switch's neighbours are one level below.
func levelsOf(g *graph, few int) []int {
	level := make([]int, len(g.node))
	for sw := range g.node {
		level[sw] = -1
		leaf := len(g.hosts[sw]) > 0
		if len(g.hosts[sw]) <= few {
			if with, without := g.peers(int32(sw), few); with != without {
				leaf = with > without
			}
		}
		if leaf {
			level[sw] = 0
		}
	}
	if !slices.ContainsFunc(level, func(l int) bool { return l != 0 }) {
		for _, sw := range g.busySpines() {
			level[sw] = -1
		}
	}
	for l := 1; ; l++ {
		next := g.nextLevel(level, l-1, 4)
		if len(next) == 0 {
			next = g.nextLevel(level, l-1, len(g.node)+1) // one neighbour suffices
		}
		if len(next) == 0 {
			return level
		}
		for _, sw := range next {
			level[sw] = l
		}
	}
}

// nextLevel are the switches without a level that have more than one of share neighbours at a level.
func (g *graph) nextLevel(level []int, l, share int) (found []int32) {
	for sw := range g.near {
		if level[sw] >= 0 {
			continue
		}
		below := 0
		for _, n := range g.near[sw] {
			if level[n.to] == l {
				below++
			}
		}
		if share*below > len(g.near[sw]) {
			found = append(found, int32(sw))
		}
	}
	return found
}

// hostsEach are the different numbers of hosts on switches with hosts, rising, and their median
// over these switches.
func (g *graph) hostsEach() (counts []int, median int) {
	for sw := range g.hosts {
		if n := len(g.hosts[sw]); n > 0 {
			counts = append(counts, n)
		}
	}
	if len(counts) == 0 {
		return nil, 0
	}
	slices.Sort(counts)
	median = counts[len(counts)/2]
	return slices.Compact(counts), median
}

// fewHosts is a quarter of the median number of hosts of the switches with hosts.
func fewHosts(g *graph) int {
	_, median := g.hostsEach()
	return median / 4
}

// peers counts the switches that are most like one, with more than few hosts and with fewer. Another
// switch is like it by the share of its cables that lead to neighbours of both; it must be at least
// a third. So a new switch with few of its cables yet has the same peers as a complete one. One
// neighbour of several is no likeness: a core has it in common with the leaves of a pod. Of those
// that share as much, the ones with many more neighbours are another kind. A switch without hosts and
// with more than a quarter of its cables elsewhere is no peer of leaves.
func (g *graph) peers(sw int32, few int) (with, without int) {
	common, both := g.shared(g.near[sw]), map[int32]int{} // cables and neighbours
	delete(common, sw)
	cables := 0
	for _, n := range g.near[sw] {
		cables += len(n.ports)
		for _, m := range g.near[n.to] {
			both[m.to]++
		}
	}
	best, least := (cables+2)/3, 0
	for other, c := range common {
		if both[other] < min(2, len(g.near[sw])) {
			delete(common, other)
			continue
		}
		if near := len(g.near[other]); c > best || c == best && (least == 0 || near < least) {
			best, least = c, near
		}
	}
	for other, c := range common {
		switch {
		case c < best || 2*len(g.near[other]) > 3*least:
		case len(g.hosts[other]) > few:
			with++
		default:
			without++
		}
	}
	if len(g.hosts[sw]) == 0 && 4*best <= 3*cables {
		with = 0
	}
	return with, without
}

// stubs are the switches of a part that no path between hosts crosses, by switch: they have no
// hosts, and cables to one other switch only. A leaf without hosts beside leaves with hosts is none,
// nor is a spine with one leaf beside spines with two, which lacks a cable.
func stubs(g *graph) []bool {
	stub, left := make([]bool, len(g.node)), make([]int, len(g.node))
	var queue []int32
	visit := func(sw int32) {
		if left[sw] != 1 || len(g.hosts[sw]) > 0 || stub[sw] {
			return
		}
		halfASpine := slices.ContainsFunc(g.near[g.near[sw][0].to], func(n neighbour) bool {
			return n.to != sw && len(g.near[n.to]) == 2 && len(g.hosts[n.to]) == 0
		})
		if with, _ := g.peers(sw, 0); with < 2 && !(len(g.near[sw]) == 1 && halfASpine) {
			stub[sw] = true
			queue = append(queue, sw)
		}
	}
	for sw := range g.near {
		left[sw] = len(g.near[sw])
	}
	for sw := range g.near {
		visit(int32(sw))
	}
	for len(queue) > 0 {
		at := queue[0]
		queue = queue[1:]
		for _, n := range g.near[at] {
			left[n.to]--
			visit(n.to)
		}
	}
	return stub
}

// sameLevel lists each link between switches of one level once.
func sameLevel(g *graph, level []int) [][2]int32 {
	var pairs [][2]int32
	for a := range g.near {
		for _, n := range g.near[a] {
			if n.to > int32(a) && level[a] == level[n.to] {
				pairs = append(pairs, [2]int32{int32(a), n.to})
			}
		}
	}
	return pairs
}

// skipping lists each link between switches more than one level apart once, the lower switch first.
func skipping(g *graph, level []int) (pairs [][2]int32) {
	for a := range g.near {
		for _, n := range g.near[a] {
			if level[n.to] > level[a]+1 {
				pairs = append(pairs, [2]int32{int32(a), n.to})
			}
		}
	}
	return pairs
}

// links counts pairs of switches that are joined.
func links(g *graph) int {
	n := 0
	for a := range g.near {
		n += len(g.near[a])
	}
	return n / 2
}

// top is the highest level.
func top(level []int) int { return slices.Max(level) }
