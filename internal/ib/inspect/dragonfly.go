package inspect

// dragonfly is groups of switches: many links inside a group, few links to each other group.
type dragonfly struct {
	group  []int32 // by switch
	groups int
	plus   bool // groups of leaves and spines (dragonfly+)
	size   int  // switches of most groups
	global int  // cables between most pairs of groups
	// local is the pairs of switches inside a group that have fewer cables than most; far is the
	// same for pairs of groups.
	local [][2]int32
	far   [][2]int32
}

// dragonflyOf recognises a dragonfly. A link is local if its switches have a common neighbour. This
// is true for every link of a fully connected group of at least three, and for no global link. In a
// dragonfly+, the groups are the connected parts without the links between spines.
func dragonflyOf(g *graph, level []int) (dragonfly, bool) {
	if d, ok := groupsOf(g, func(a, b int32) bool { return g.haveCommon(a, b) }); ok && d.allJoined(g) {
		return d, true
	}
	if top(level) != 1 {
		return dragonfly{}, false
	}
	d, ok := groupsOf(g, func(a, b int32) bool { return level[a] != level[b] })
	d.plus = true
	return d, ok && d.leavesJoined(g, level)
}

func (g *graph) haveCommon(a, b int32) bool {
	for _, n := range g.near[a] {
		if n.to != b && g.cables(n.to, b) > 0 {
			return true
		}
	}
	return false
}

// groupsOf takes the connected parts of the local links as groups. A dragonfly has at least three
// groups, most of one size. At most a fifth of the pairs of groups have fewer cables than most.
func groupsOf(g *graph, local func(a, b int32) bool) (dragonfly, bool) {
	var d dragonfly
	d.group, d.groups = g.components(local)
	if d.groups < 3 || d.groups > len(g.node)/2 {
		return d, false
	}
	sizes := make([]int, d.groups)
	for _, of := range d.group {
		sizes[of]++
	}
	size, ok := usual(sizes)
	if !ok || size < 2 {
		return d, false
	}
	d.size = size
	between := map[[2]int32]int{}
	for a := range g.near {
		for _, n := range g.near[a] {
			if x, y := d.group[a], d.group[n.to]; x < y {
				between[[2]int32{x, y}] += len(n.ports)
			}
		}
	}
	var counts []int
	for x := range int32(d.groups) {
		for y := x + 1; y < int32(d.groups); y++ {
			counts = append(counts, between[[2]int32{x, y}])
		}
	}
	d.global, ok = usual(counts)
	if !ok || d.global == 0 {
		return d, false
	}
	i := 0
	for x := range int32(d.groups) {
		for y := x + 1; y < int32(d.groups); y++ {
			if counts[i] < d.global {
				d.far = append(d.far, [2]int32{x, y})
			}
			i++
		}
	}
	return d, 5*len(d.far) <= len(counts)
}

// allJoined notes the pairs of each group without a link. If more than a fifth have none, the graph
// is no dragonfly.
func (d *dragonfly) allJoined(g *graph) bool {
	return d.joined(g, func(a, b int32) bool { return true })
}

// leavesJoined is allJoined for the leaves and spines of a dragonfly+.
func (d *dragonfly) leavesJoined(g *graph, level []int) bool {
	return d.joined(g, func(a, b int32) bool { return level[a] != level[b] })
}

func (d *dragonfly) joined(g *graph, expected func(a, b int32) bool) bool {
	members := make([][]int32, d.groups)
	for sw, of := range d.group {
		members[of] = append(members[of], int32(sw))
	}
	pairs := 0
	for _, group := range members {
		for i, a := range group {
			for _, b := range group[i+1:] {
				if !expected(a, b) {
					continue
				}
				pairs++
				if g.cables(a, b) == 0 {
					d.local = append(d.local, [2]int32{a, b})
				}
			}
		}
	}
	return 5*len(d.local) <= pairs
}
