package route

import (
	"slices"

	"weft/internal/ib/subnet"
	"weft/units"
)

// treeRouter spreads routes over a tree. The state of the current target is in ports, hops and
// open; loads grow from target to target.
type treeRouter struct {
	*tree
	m       *shortest
	out     *columnWriter
	target  int32   // the target itself if it is a switch, else the switch that it is cabled to
	absent  bool    // the target is missing
	unset   int32   // the switch of an absent target while it has no port to the target, else -1
	ports   []uint8 // by switch: port to the target so far
	missing []uint8 // ports for absent targets
	hops    []uint8 // by switch: hops to the target so far; noPath: none
	best    []uint8 // by switch: hops of the shortest path, a lower bound of hops less base
	base    uint8   // hops at the target's own switch

	// Switches with the same neighbours below and on their level form a class. open is
	// the number of these neighbours that can still get a shorter path; classes is the
	// classes in which a switch is a neighbour. If none is open, a search downwards cannot change
	// anything and is skipped.
	class   []int32
	classes [][]int32
	open    []int32
	all     []int32 // initial values of open
	hosts   []bool  // by switch: whether it has hosts

	detours []detour

	unsorted []bool          // by switch: loads below have changed since the last sort
	loaded   []bool          // by switch: a path below it or on its level has got load
	crossed  map[int32]int32 // by cable to a switch of the same level: paths of goSideways on it
	unknown  map[int32]bool  // leaves with an unknown order of hosts in OpenSM
}

func newTreeRouter(t *tree, m *shortest) *treeRouter {
	n := len(t.sw)
	r := &treeRouter{
		tree: t, m: m, out: newColumnWriter(t.tab.LFT, t.cores), hops: make([]uint8, n), missing: make([]uint8, n),
		class: make([]int32, n), classes: make([][]int32, n), hosts: make([]bool, n), unsorted: make([]bool, n),
		loaded: make([]bool, n), crossed: map[int32]int32{}, unknown: map[int32]bool{},
	}
	known := map[string]int32{}
	var key []byte
	for i := range n {
		var below []int32
		for _, groups := range [][]group{t.down[i], t.side[i]} {
			for k := range groups {
				if g := &groups[k]; g.sw >= 0 {
					below = append(below, g.sw)
				} else {
					r.hosts[i] = true
				}
			}
		}
		slices.Sort(below)
		key = key[:0]
		for _, sw := range below {
			key = append(key, byte(sw), byte(sw>>8), byte(sw>>16))
		}
		c, ok := known[string(key)]
		if !ok {
			c = int32(len(r.all))
			known[string(key)] = c
			r.all = append(r.all, int32(len(below)))
			for _, sw := range below {
				r.classes[sw] = append(r.classes[sw], c)
			}
		}
		r.class[i] = c
	}
	r.open = make([]int32, len(r.all))
	return r
}

// to routes to a target at a port of a switch. main says whether loads of paths up count. LID 0 is
// an absent target: its ports are forgotten, its loads stay.
func (r *treeRouter) to(lid units.LID, sw int32, port, hops uint8, main bool) {
	r.target, r.best, r.base = sw, r.m.hops[sw], hops
	if r.absent, r.unset = lid == 0, -1; r.absent {
		r.unset = sw
	}
	for i := range r.hops {
		r.hops[i] = noPath
	}
	copy(r.open, r.all)
	if r.ports = r.missing; lid != 0 {
		r.ports = r.out.column(lid)
	}
	r.set(sw, port, hops)
	r.goUp(sw, -1, main, hops)
}

// setBy gives the far switch of a group a port to the target. If the target is a switch, the matrix
// has all cables of the group.
func (r *treeRouter) setBy(g *group, port, hops uint8) {
	if r.base == 0 && (hops != r.best[g.sw] || r.hops[g.sw] != noPath) {
		for _, c := range r.cables[g.first : g.first+int32(g.n)] {
			r.detours = append(r.detours, detour{r.target, g.sw, c.far, hops})
		}
	}
	r.set(g.sw, port, hops)
}

// set gives a switch a port to the target.
func (r *treeRouter) set(sw int32, port, hops uint8) {
	if sw == r.unset && r.hops[sw] != noPath {
		for _, c := range r.classes[sw] { // it lost the shortest path, the path to itself
			r.open[c]++
		}
		r.unset = -1
	}
	r.ports[sw] = port
	r.hops[sw] = hops
	if hops == r.best[sw]+r.base {
		for _, c := range r.classes[sw] {
			r.open[c]--
		}
	}
}

// detour is a path to a switch that is longer than the shortest path, or that replaces one.
type detour struct {
	to, from int32
	port     uint8
	hops     uint8
}

// columns is the matrix of shortest paths, with detours for the ports that have them.
func (r *treeRouter) columns() func(to int32, column []uint8) {
	fill := r.m.columns()
	byTarget := map[int32][]detour{}
	for _, d := range r.detours {
		byTarget[d.to] = append(byTarget[d.to], d)
	}
	return func(to int32, column []uint8) {
		fill(to, column)
		for _, d := range byTarget[to] {
			column[r.fabric.base[d.from]+int(d.port)] = d.hops
		}
	}
}

// toComputeNodes routes to the compute nodes, leaf by leaf. A leaf with fewer compute nodes than
// the largest gets absent targets, so that loads stay even.
func (r *treeRouter) toComputeNodes() {
	most := 0
	count := make([]int, len(r.sw))
	for i := range r.ends {
		if r.compute[i] {
			count[r.ends[i].sw]++
			most = max(most, count[r.ends[i].sw])
		}
	}
	for _, leaf := range r.leaves {
		for _, l := range r.sw[leaf].ports {
			if l.end >= 0 && r.compute[l.end] {
				if r.loaded[leaf] && len(r.down[leaf]) > 1 {
					r.unknown[leaf] = true
				}
				r.to(r.ends[l.end].lid, leaf, r.ends[l.end].port, 1, true)
			}
		}
		for range most - count[leaf] {
			r.to(0, leaf, subnet.NoPort, 1, true)
		}
	}
}

// toOthers routes to hosts that are not compute nodes, on any switch, and to routers, which OpenSM
// leaves without routes.
func (r *treeRouter) toOthers() {
	for _, i := range r.byNode {
		e := &r.ends[i]
		if e.sw < 0 || r.compute[i] || e.router && r.opt.AsOpenSM {
			continue
		}
		r.to(e.lid, e.sw, e.port, 1, true)
	}
}

// toSwitches routes to the switches themselves.
func (r *treeRouter) toSwitches() {
	for _, i := range r.order {
		r.to(r.sw[i].lid, i, 0, 0, false)
	}
}

// goUp gives a port to the switches above u, and to the switches below these. The main path goes up
// by the least loaded group, and adds to its load. The other groups get uncounted paths, if they
// have no path or a longer one. It reports whether hosts got a path.
func (r *treeRouter) goUp(u, prev int32, main bool, hops uint8) bool {
	if hops >= noPath-1 {
		return false
	}
	routed := r.goDown(u, prev, hops)
	groups := r.up[u]
	if len(groups) == 0 {
		return routed
	}
	rest, above := 0, groups[0].sw
	if main {
		rest = 1
		g := &groups[0]
		far, c := r.leastLoaded(g)
		if hops+1 < r.hops[g.sw] {
			r.setBy(g, far, hops+1)
		}
		routed = r.goUp(g.sw, u, true, hops+1) || routed
		r.load(g, c)
	}
	for i := rest; i < len(groups); i++ {
		g := &groups[i]
		if hops+1 >= r.hops[g.sw] {
			continue
		}
		far, _ := r.leastLoaded(g)
		r.setBy(g, far, hops+1)
		routed = r.goUp(g.sw, u, false, hops+1) || routed
	}
	if main {
		settle(groups)
	}
	if len(r.side[u]) > 0 {
		routed = r.goSideways(u, above, hops) || routed
	}
	return routed
}

// settle moves the first group, whose load has grown, to its place in the order.
func settle(groups []group) {
	g := groups[0]
	i := 1
	for ; i < len(groups) && byLoad(&groups[i], &g) < 0; i++ {
		groups[i-1] = groups[i]
	}
	groups[i-1] = g
}

// goDown gives a port to the switches below u and on its level, and to the switches below
// these, and adds to the load of the cables that lead to hosts. It reports whether there are such
// cables. It does not go sideways from a switch with nothing below, nor to an absent target.
func (r *treeRouter) goDown(u, prev int32, hops uint8) bool {
	if hops >= noPath-1 {
		return false
	}
	if r.open[r.class[u]] == 0 {
		return r.hosts[u]
	}
	if len(r.down[u]) == 0 {
		return false
	}
	if r.unsorted[u] {
		r.unsorted[u] = false
		sortByLoad(r.down[u])
	}
	routed := r.hosts[u]
	steps := [2][]group{r.down[u], r.side[u]}
	if r.absent {
		steps[1] = nil
	}
	sortByLoad(steps[1])
	for _, groups := range steps {
		for i := range groups {
			g := &groups[i]
			if g.sw < 0 || g.sw == prev {
				continue
			}
			if hops+1 >= r.hops[g.sw] {
				continue
			}
			far, c := r.leastLoaded(g)
			r.setBy(g, far, hops+1)
			if r.goDown(g.sw, -1, hops+1) {
				routed, r.unsorted[u], r.loaded[u] = true, true, true
				r.load(g, c)
			}
		}
	}
	return routed
}

// sortByLoad sorts groups that are nearly sorted, by insertion: with slices.SortStableFunc the
// engine takes 15 % longer.
func sortByLoad(groups []group) {
	for i := 1; i < len(groups); i++ {
		if byLoad(&groups[i], &groups[i-1]) >= 0 {
			continue
		}
		g := groups[i]
		k := i
		for ; k > 0 && byLoad(&groups[k-1], &g) > 0; k-- {
			groups[k] = groups[k-1]
		}
		groups[k] = g
	}
}

// leastLoaded is the first cable of a group with the least load, and its far port.
func (r *treeRouter) leastLoaded(g *group) (far uint8, at int32) {
	if g.n == 1 {
		return g.far, g.first
	}
	at = g.first
	for i := at + 1; i < g.first+int32(g.n); i++ {
		if r.cables[i].load < r.cables[at].load {
			at = i
		}
	}
	return r.cables[at].far, at
}

// load counts a path to a target on a cable of a group.
func (r *treeRouter) load(g *group, cable int32) {
	g.load++
	if g.n > 1 {
		r.cables[cable].load++
	}
}
