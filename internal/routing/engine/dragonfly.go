package engine

import (
	"fmt"
	"slices"

	"weft/internal/subnet"
	"weft/units"
)

// dragonfly routes groups of switches that are all joined within a group, and
// whose groups are all joined (Kim, Dally, Scott and Abts, "Technology-driven,
// highly-scalable dragonfly topology", 2008). The groups are found from the
// cables.
//
// The first LID of an end is reached minimally: at most one cable within the
// group, one between groups, one within the destination's group. With an LMC
// the others go by way of a third group each (Valiant): the one whose turn it
// is, so that what one pair of groups sends is spread over all.
//
// Minimal paths are on lane 0 up to and with the cable between groups, and on
// lane 1 after it, by SL2VL tables: no path goes back. Valiant's paths get lanes
// like those of dfsssp. Neither takes the shortest path where that uses two
// cables between groups.
func dragonfly(j *job) error {
	g, err := j.findGroups()
	if err != nil {
		return err
	}
	for _, t := range j.targets() {
		if t.sw < 0 {
			continue
		}
		for k := range t.width {
			via := int32(-1)
			if t.counted && k > 0 {
				via = g.third(t.sw, int(t.lid)+k)
			}
			g.route(int(t.lid)+k, t.sw, t.port, via)
		}
	}
	j.hops = j.shortestPaths().columns
	if j.lmc > 0 {
		return j.freeOfLoops("dragonfly", newDeadlocks(newSpanner(j.fabric)))
	}
	if have := j.lanes(); have < 2 {
		return &Refusal{
			Engine: "dragonfly", Reason: fmt.Sprintf("it needs 2 virtual lanes, and the switches have %d", have),
			Remedy: "Use updn or dnup, or give the data more lanes if the switches have them",
		}
	}
	j.tab.Lanes, j.tab.SL2VL = 2, g.lanes()
	j.tab.SL = func(units.LID, units.LID) units.SL { return 0 }
	return nil
}

// groups are the groups of a dragonfly.
type groups struct {
	f      *fabric
	of     []int32     // group of each switch
	member [][]int32   // switches of each group
	ways   [][][]uint8 // for each switch, by group: ports of cables that lead there
	used   [][]int32   // routes by switch and port
}

// findGroups finds the groups, or refuses a fabric that is no dragonfly.
func (f *fabric) findGroups() (*groups, error) {
	g := &groups{f: f, of: make([]int32, len(f.sw)), used: make([][]int32, len(f.sw))}
	joined := make([]map[int32]bool, len(f.sw))
	for u, around := range f.neighbours() {
		g.of[u], g.used[u] = -1, make([]int32, len(f.sw[u].ports))
		joined[u] = map[int32]bool{}
		for _, v := range around {
			joined[u][v.sw] = true
		}
	}
	for _, u := range f.order {
		if g.of[u] >= 0 {
			continue
		}
		clique := g.clique(u, joined)
		for _, v := range clique {
			g.of[v] = int32(len(g.member))
		}
		g.member = append(g.member, clique)
	}
	g.findWays()
	for u := range f.sw {
		for to, ports := range g.groupWays(int32(u)) {
			if !ports {
				return nil, &Refusal{
					Engine: "dragonfly",
					Reason: fmt.Sprintf("%d switches that are all joined to each other were found around %s, and no cable leads from them to the %d around %s", len(g.member[g.of[u]]), f.nameOf(int32(u)), len(g.member[to]), f.nameOf(g.member[to][0])),
					Remedy: "Use dfsssp or lash, which need no groups, or mend the cables if this is a dragonfly",
				}
			}
		}
	}
	return g, nil
}

// clique is a switch with those that are joined to it and to each other; those
// with most neighbours in common come first, which cables between groups have
// not.
func (g *groups) clique(u int32, joined []map[int32]bool) []int32 {
	type candidate struct {
		sw     int32
		common int
	}
	var all []candidate
	for _, v := range g.f.order {
		if !joined[u][v] || g.of[v] >= 0 {
			continue
		}
		c := candidate{sw: v}
		for w := range joined[u] {
			if joined[v][w] {
				c.common++
			}
		}
		all = append(all, c)
	}
	slices.SortStableFunc(all, func(a, b candidate) int { return b.common - a.common })
	members := []int32{u}
	for _, c := range all {
		if !slices.ContainsFunc(members, func(m int32) bool { return !joined[c.sw][m] }) {
			members = append(members, c.sw)
		}
	}
	return members
}

// findWays sorts the cables of each switch by the group that they lead to.
func (g *groups) findWays() {
	g.ways = make([][][]uint8, len(g.f.sw))
	for u := range g.f.sw {
		g.ways[u] = make([][]uint8, len(g.member))
		for p, l := range g.f.sw[u].ports {
			if l.sw >= 0 && g.of[l.sw] != g.of[u] {
				to := g.of[l.sw]
				g.ways[u][to] = append(g.ways[u][to], uint8(p))
			}
		}
	}
}

// groupWays says for each group whether a cable leads there from a switch's own.
func (g *groups) groupWays(u int32) []bool {
	ok := make([]bool, len(g.member))
	ok[g.of[u]] = true
	for _, v := range g.member[g.of[u]] {
		for to, ports := range g.ways[v] {
			ok[to] = ok[to] || len(ports) > 0
		}
	}
	return ok
}

// third is the group by way of which a LID on a switch is reached: each of the
// others in turn.
func (g *groups) third(sw int32, lid int) int32 {
	n := int32(len(g.member))
	if n < 3 {
		return -1
	}
	return (g.of[sw] + 1 + int32(lid)%(n-1)) % n
}

// route enters a LID that hangs on a port of a switch into all tables, by way of
// a group, or of none (-1).
func (g *groups) route(lid int, root int32, port uint8, via int32) {
	home := g.of[root]
	for u := range g.f.sw {
		goal := via
		if via < 0 || g.of[u] == via {
			goal = home
		}
		switch {
		case int32(u) == root:
			g.f.tab.LFT[u][lid] = port
		case g.of[u] == home:
			g.enter(int32(u), lid, g.cables(int32(u), func(v int32) bool { return v == root }))
		case len(g.ways[u][goal]) > 0:
			g.enter(int32(u), lid, g.ways[u][goal])
		default:
			own := g.of[u]
			g.enter(int32(u), lid, g.cables(int32(u), func(v int32) bool { return g.of[v] == own && len(g.ways[v][goal]) > 0 }))
		}
	}
}

// cables lists a switch's ports that lead to such switches.
func (g *groups) cables(u int32, such func(int32) bool) []uint8 {
	var ports []uint8
	for p, l := range g.f.sw[u].ports {
		if l.sw >= 0 && such(l.sw) {
			ports = append(ports, uint8(p))
		}
	}
	return ports
}

// enter takes the port with the fewest routes, the lowest of several.
func (g *groups) enter(u int32, lid int, ports []uint8) {
	best := ports[0]
	for _, p := range ports {
		if g.used[u][p] < g.used[u][best] {
			best = p
		}
	}
	g.used[u][best]++
	g.f.tab.LFT[u][lid] = best
}

// lanes are the SL2VL tables of minimal paths: lane 1 within the destination's
// group, where a packet comes from another.
func (g *groups) lanes() []subnet.SLMap {
	maps := make([]subnet.SLMap, len(g.f.sw))
	for u := range g.f.sw {
		ports := g.f.sw[u].ports
		maps[u] = subnet.NewSLMap(len(ports) - 1)
		for in, from := range ports {
			if from.sw < 0 || g.of[from.sw] == g.of[u] {
				continue
			}
			for out, to := range ports {
				if to.sw < 0 || g.of[to.sw] != g.of[u] {
					continue
				}
				for sl := range units.SL(16) {
					maps[u].Set(uint8(in), uint8(out), sl, 1)
				}
			}
		}
	}
	return maps
}
