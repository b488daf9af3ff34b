package route

import (
	"cmp"
	"slices"
)

// makeGroups collects the cables of each switch by neighbour, in the order of
// ports. A cable from a switch to itself leads nowhere, and a cable to a router out of the tree.
func (t *tree) makeGroups() {
	n := len(t.sw)
	t.up, t.down, t.side = make([][]group, n), make([][]group, n), make([][]group, n)
	for i := range t.sw {
		for _, l := range t.sw[i].ports {
			switch {
			case l.sw == int32(i) || l.sw < 0 && (l.end < 0 || t.ends[l.end].router):
			case l.sw < 0 || t.level[l.sw] > t.level[i]:
				t.down[i] = join(t.down[i], l)
			case t.level[l.sw] < t.level[i]:
				t.up[i] = join(t.up[i], l)
			default:
				t.side[i] = join(t.side[i], l)
			}
		}
		for _, groups := range [][]group{t.up[i], t.down[i], t.side[i]} {
			t.addCables(i, groups)
		}
	}
}

// join adds the cable's far switch or host to the groups, if it is new.
func join(groups []group, l link) []group {
	if slices.ContainsFunc(groups, func(g group) bool { return g.sw == l.sw && g.end == l.end }) {
		return groups
	}
	return append(groups, group{sw: l.sw, end: l.end})
}

// addCables lists the cables of a switch's groups.
func (t *tree) addCables(sw int, groups []group) {
	for i := range groups {
		g := &groups[i]
		g.first, g.n = int32(len(t.cables)), 0
		for p, l := range t.sw[sw].ports {
			if l.sw == g.sw && l.end == g.end {
				t.cables = append(t.cables, cable{port: uint8(p), far: l.port})
				g.n++
			}
		}
		g.far = t.cables[g.first].far
	}
}

// treeIndex is a position in a tree: the level, then a number per level.
type treeIndex [maxTreeLevels + 2]uint8

// index gives all switches an index, in a search from the first leaf. A neighbour's index differs
// from the current switch's in the level, and in the number for the lower of the two levels, which
// is the least free number. Groups are then sorted by the index of their far switch.
func (t *tree) index() {
	at := make([]treeIndex, len(t.sw))
	known := make([]bool, len(t.sw))
	taken := map[treeIndex]bool{}
	start := t.order[slices.IndexFunc(t.order, func(i int32) bool { return t.leaf[i] })]
	at[start][0], known[start] = t.level[start], true
	taken[at[start]] = true
	queue := []int32{start}
	visit := func(groups []group, from treeIndex, level, varies uint8) {
		from[0] = level
		for i := range groups {
			sw := groups[i].sw
			if sw < 0 || known[sw] {
				continue
			}
			for from[varies] = 0; taken[from] && from[varies] < 254; {
				from[varies]++
			}
			at[sw], known[sw], taken[from] = from, true, true
			queue = append(queue, sw)
		}
		slices.SortStableFunc(groups, func(a, b group) int {
			if a.sw < 0 || b.sw < 0 {
				return 0
			}
			return slices.Compare(at[a.sw][:], at[b.sw][:])
		})
	}
	for len(queue) > 0 {
		u := queue[0]
		queue = queue[1:]
		if level := t.level[u]; level < t.leafLevel {
			visit(t.down[u], at[u], level+1, level+1)
		}
		if level := t.level[u]; level > 0 && level < uint8(len(at[u])) {
			visit(t.up[u], at[u], level-1, level)
		}
	}
	t.leaves = t.leavesOf(t.places(at, known))
}

// places puts all switches in the order of their indices, and gives each group the place
// of its far switch. Switches without an index, which are below leaves, share the last
// place. Groups that lead up are sorted at all switches.
func (t *tree) places(at []treeIndex, known []bool) (order []int32) {
	for i := range at {
		if !known[i] {
			at[i][0] = noPath
		}
	}
	order = slices.Clone(t.order)
	slices.SortStableFunc(order, func(a, b int32) int { return slices.Compare(at[a][:], at[b][:]) })
	switches := make([]int32, len(t.sw))
	for place, i := range order {
		if switches[i] = int32(place); !known[i] {
			switches[i] = int32(len(order))
		}
	}
	for i := range t.sw {
		for _, groups := range [][]group{t.up[i], t.down[i], t.side[i]} {
			for k := range groups {
				if g := &groups[k]; g.sw >= 0 {
					g.place = switches[g.sw]
				}
			}
		}
		sortByLoad(t.up[i])
	}
	return order
}

// leavesOf is the switches of the leaves' level, in order, from the first with compute
// nodes to the last.
func (t *tree) leavesOf(order []int32) []int32 {
	first, last := -1, -1
	var level []int32
	for _, i := range order {
		if t.level[i] != t.leafLevel {
			continue
		}
		if t.leaf[i] {
			if first < 0 {
				first = len(level)
			}
			last = len(level)
		}
		level = append(level, i)
	}
	return level[first : last+1]
}

// byLoad orders groups: the least loaded first, ties by the place of the far switch.
func byLoad(a, b *group) int {
	if a.load != b.load {
		return cmp.Compare(a.load, b.load)
	}
	return cmp.Compare(a.place, b.place)
}
