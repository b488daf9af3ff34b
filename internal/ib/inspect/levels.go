package inspect

import "slices"

// levelsOf gives each switch its distance from the leaves: 0 for a leaf, -1 for a switch
// that no leaf reaches.
//
// Leaves are the switches with hosts. There are two exceptions. If the switches with the most
// similar neighbours have no hosts, a switch with few hosts is a spine. If they have hosts, a
// switch without hosts is an empty leaf.
func levelsOf(g *graph) []int {
	few := fewHosts(g)
	level := make([]int, len(g.node))
	var queue []int32
	for sw := range g.node {
		level[sw] = -1
		leaf := len(g.hosts[sw]) > 0
		if len(g.hosts[sw]) <= few {
			with, without := similar(g, int32(sw))
			switch {
			case leaf && without > with:
				leaf = false
			case !leaf && with > without:
				leaf = true
			}
		}
		if leaf {
			level[sw] = 0
			queue = append(queue, int32(sw))
		}
	}
	for head := 0; head < len(queue); head++ {
		for _, n := range g.near[queue[head]] {
			if level[n.to] < 0 {
				level[n.to] = level[queue[head]] + 1
				queue = append(queue, n.to)
			}
		}
	}
	return level
}

// fewHosts is a quarter of the median number of hosts of the switches with hosts.
func fewHosts(g *graph) int {
	var counts []int
	for sw := range g.hosts {
		if n := len(g.hosts[sw]); n > 0 {
			counts = append(counts, n)
		}
	}
	if len(counts) == 0 {
		return 0
	}
	slices.Sort(counts)
	return counts[len(counts)/2] / 4
}

// similar counts the most similar switches, with hosts and without. Similarity is the
// number of common neighbours, as a share of the larger number of neighbours; it must be
// at least a third.
func similar(g *graph, sw int32) (with, without int) {
	common := map[int32]int{}
	for _, n := range g.near[sw] {
		for _, m := range g.near[n.to] {
			if m.to != sw {
				common[m.to]++
			}
		}
	}
	shared, of := 1, 3 // best similarity so far, as a fraction
	for other, c := range common {
		most := max(len(g.near[sw]), len(g.near[other]))
		switch better := c*of - shared*most; {
		case better < 0:
			continue
		case better > 0:
			shared, of, with, without = c, most, 0, 0
		}
		if len(g.hosts[other]) > 0 {
			with++
		} else {
			without++
		}
	}
	return with, without
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
