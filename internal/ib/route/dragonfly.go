package route

import (
	"fmt"
	"slices"

	"weft/internal/ib/subnet"
	"weft/units"
)

// dragonfly routes groups of switches. Each group is fully connected, and each pair of groups has a
// cable (Kim, Dally, Scott and Abts, "Technology-driven, highly-scalable dragonfly topology",
// 2008). The groups come from [Options].Groups, or are found from the cables.
//
// The path to the first LID of an end is minimal: a shortest path with at most one cable within the
// group, one between groups and one within the destination's group. With an LMC, the paths to the
// other LIDs each go through a third group (Valiant). The third group changes from LID to LID,
// which spreads the traffic of a pair of groups over all groups.
//
// Minimal paths are on lane 0 up to and including the cable between groups, and on lane 1 after it,
// by SL2VL tables: no path goes back. Valiant's paths get lanes as in dfsssp. A minimal path never
// has two cables between groups, even if that is shorter.
func dragonfly(j *job) error {
	if j.opt.AsOpenSM {
		return &Refusal{Engine: "dragonfly", Reason: "OpenSM 3.3.23 has no engine of this name", Remedy: "Use dfsssp, the nearest that it has"}
	}
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

// groups is the groups of a dragonfly.
type groups struct {
	f       *fabric
	of      []int32          // group of each switch
	member  [][]int32        // switches of each group
	toGroup [][][]uint8      // by switch and group: ports with a cable to the group
	used    [][]int32        // by switch and port: number of routes
	joined  []map[int32]bool // by switch: switches with a cable to it
}

// findGroups finds the groups, or refuses a fabric that is no dragonfly.
func (j *job) findGroups() (*groups, error) {
	f := j.fabric
	g := &groups{f: f, of: make([]int32, len(f.sw)), used: make([][]int32, len(f.sw)), joined: f.joined()}
	for u := range f.sw {
		g.of[u], g.used[u] = -1, make([]int32, len(f.sw[u].ports))
	}
	if err := g.take(j.opt.Groups); err != nil {
		return nil, err
	}
	for _, u := range f.order {
		if g.of[u] < 0 {
			g.add(g.clique(u))
		}
	}
	g.findCables()
	for u := range f.sw {
		for to, ports := range g.reached(int32(u)) {
			if !ports {
				return nil, &Refusal{
					Engine: "dragonfly",
					Reason: fmt.Sprintf("no cable leads from the group of %d around %s to the group of %d around %s", len(g.member[g.of[u]]), f.nameOf(int32(u)), len(g.member[to]), f.nameOf(g.member[to][0])),
					Remedy: "Use dfsssp or lash, which need no groups, or mend the cables if this is a dragonfly",
				}
			}
		}
	}
	return g, nil
}

// joined is, by switch, the other switches with a cable to it.
func (f *fabric) joined() []map[int32]bool {
	joined := make([]map[int32]bool, len(f.sw))
	for u, around := range f.neighbours() {
		joined[u] = map[int32]bool{}
		for _, v := range around {
			joined[u][v.sw] = true
		}
	}
	return joined
}

// take makes the named groups, and refuses a group that is not fully connected.
func (g *groups) take(named map[units.GUID]int32) error {
	members := map[int32][]int32{}
	var numbers []int32
	for _, u := range g.f.order {
		if n, ok := named[g.f.sw[u].guid]; ok {
			if members[n] == nil {
				numbers = append(numbers, n)
			}
			for _, v := range members[n] {
				if !g.joined[u][v] {
					return &Refusal{
						Engine: "dragonfly",
						Reason: fmt.Sprintf("%s and %s are in one group without a cable between them", g.f.nameOf(v), g.f.nameOf(u)),
						Remedy: "Use dfsssp or lash, which need no groups, or mend the cable",
					}
				}
			}
			members[n] = append(members[n], u)
		}
	}
	for _, n := range numbers {
		g.add(members[n])
	}
	return nil
}

// add makes switches a group.
func (g *groups) add(members []int32) {
	for _, v := range members {
		g.of[v] = int32(len(g.member))
	}
	g.member = append(g.member, members)
}

// clique is a switch and the switches with cables to it and to each other. Switches with the most
// common neighbours come first: the two ends of a cable between groups have few.
func (g *groups) clique(u int32) []int32 {
	type candidate struct {
		sw     int32
		common int
	}
	var all []candidate
	for _, v := range g.f.order {
		if !g.joined[u][v] || g.of[v] >= 0 {
			continue
		}
		c := candidate{sw: v}
		for w := range g.joined[u] {
			if g.joined[v][w] {
				c.common++
			}
		}
		all = append(all, c)
	}
	slices.SortStableFunc(all, func(a, b candidate) int { return b.common - a.common })
	members := []int32{u}
	for _, c := range all {
		if !slices.ContainsFunc(members, func(m int32) bool { return !g.joined[c.sw][m] }) {
			members = append(members, c.sw)
		}
	}
	return members
}

// findCables sorts the cables of each switch by the group that they lead to.
func (g *groups) findCables() {
	g.toGroup = make([][][]uint8, len(g.f.sw))
	for u := range g.f.sw {
		g.toGroup[u] = make([][]uint8, len(g.member))
		for p, l := range g.f.sw[u].ports {
			if l.sw >= 0 && g.of[l.sw] != g.of[u] {
				to := g.of[l.sw]
				g.toGroup[u][to] = append(g.toGroup[u][to], uint8(p))
			}
		}
	}
}

// reached reports, by group, whether a cable leads to it from a switch's own group.
func (g *groups) reached(u int32) []bool {
	ok := make([]bool, len(g.member))
	ok[g.of[u]] = true
	for _, v := range g.member[g.of[u]] {
		for to, ports := range g.toGroup[v] {
			ok[to] = ok[to] || len(ports) > 0
		}
	}
	return ok
}

// third is the intermediate group of the paths to a LID on a switch: each of the other groups in
// turn.
func (g *groups) third(sw int32, lid int) int32 {
	n := int32(len(g.member))
	if n < 3 {
		return -1
	}
	return (g.of[sw] + 1 + int32(lid)%(n-1)) % n
}

// route enters the LID of a node at a switch's port into all tables, through a third group
// or through none (-1).
func (g *groups) route(lid int, root int32, port uint8, via int32) {
	for u := range g.f.sw {
		switch {
		case int32(u) == root:
			g.f.tab.LFT[u][lid] = port
		case via < 0 || g.of[u] == via || g.of[u] == g.of[root]:
			g.enter(int32(u), lid, g.towards(int32(u), root))
		default:
			g.enter(int32(u), lid, g.into(int32(u), via))
		}
	}
}

// towards is the ports of a switch that begin a shortest path to another switch. A path that begins
// within the group goes on between groups: if a switch of the group has a cable to the destination,
// all others go there first.
func (g *groups) towards(u, root int32) []uint8 {
	if g.joined[u][root] {
		return g.cables(u, func(v int32) bool { return v == root })
	}
	home := g.of[root]
	short := g.cables(u, func(v int32) bool { return g.of[v] == home || g.of[v] == g.of[u] && g.joined[v][root] })
	if len(short) > 0 {
		return short
	}
	return g.into(u, home)
}

// into is the ports of a switch that lead into another group. Without such ports it is the ports to
// switches of its own group that have one.
func (g *groups) into(u, group int32) []uint8 {
	if ports := g.toGroup[u][group]; len(ports) > 0 {
		return ports
	}
	return g.cables(u, func(v int32) bool { return g.of[v] == g.of[u] && len(g.toGroup[v][group]) > 0 })
}

// cables is a switch's ports that lead to switches for which such is true.
func (g *groups) cables(u int32, such func(int32) bool) []uint8 {
	var ports []uint8
	for p, l := range g.f.sw[u].ports {
		if l.sw >= 0 && such(l.sw) {
			ports = append(ports, uint8(p))
		}
	}
	return ports
}

// enter takes the lowest port with the fewest routes.
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

// lanes is the SL2VL tables of minimal paths: a packet from another group takes lane 1 within the
// destination's group.
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
