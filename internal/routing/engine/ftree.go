package engine

import (
	"cmp"
	"fmt"
	"slices"

	"weft/internal/subnet"
	"weft/units"
)

// ftree routes fat trees so that a shift of all hosts has no link to itself
// that another pair needs: hosts are given ways up the tree in turn, in the
// order of an index of the tree's switches.
func ftree(j *job) error {
	t := &tree{job: j}
	if err := t.build(); err != nil {
		return err
	}
	t.routeAll()
	return nil
}

// group is the cables from a switch to one neighbour.
type group struct {
	sw       int32      // the switch there, -1: a host
	end      int32      // the host there, -1: a switch
	guid     units.GUID // of the port there
	cables   []cable
	up, down int32 // routes up and down that were put on it
}

// cable is one of a group.
type cable struct {
	port, far uint8 // its port here and there
	up, down  int32 // routes up and down that were put on it
}

// tree is a subnet ranked and indexed.
type tree struct {
	*job
	rank     []uint8 // levels below the top, by switch
	leafRank uint8
	index    []string   // place in the tree, by switch: order of bytes is order of places
	up       [][]*group // by switch
	down     [][]*group
	level    [][]*group
	leaves   []int32 // switches of the leaves' rank, in the order of indices
	hostRank int

	port []uint8 // of the target in hand, by switch
	hops []uint8
}

const (
	minTreeRank = 2
	maxTreeRank = 8
)

func (t *tree) refuse(reason string, args ...any) error {
	return &Refusal{"ftree", fmt.Sprintf(reason, args...), "Name the switches at the top (--roots), mend the tree, or use updn"}
}

func (t *tree) build() error {
	adapters := map[int32]bool{}
	for i := range t.ends {
		adapters[t.ends[i].at.Node] = true
	}
	switch {
	case t.lmc > 0:
		return &Refusal{"ftree", fmt.Sprintf("the LMC is %d, and ftree gives each port one LID", t.lmc), "Use LMC 0, or updn"}
	case len(t.sw) < 2:
		return t.refuse("it has one switch, which is no tree")
	case len(adapters) < 2:
		return t.refuse("it has fewer than two hosts")
	}
	if err := t.rankAll(); err != nil {
		return err
	}
	t.makeGroups()
	if err := t.markLeaves(); err != nil {
		return err
	}
	t.indexAll()
	t.collectLeaves()
	if len(t.opt.Roots) == 0 {
		return t.validate()
	}
	return nil
}

func (t *tree) rankAll() error {
	var roots []int32
	if len(t.opt.Roots) > 0 {
		if roots = t.namedRoots(); len(roots) == 0 {
			return t.refuse("none of the %d roots that are named is a switch of this subnet", len(t.opt.Roots))
		}
	} else {
		var leaves []int32
		for _, i := range t.order {
			if t.sw[i].hosts > 0 {
				leaves = append(leaves, i)
			}
		}
		above := t.ranks(leaves)
		top := slices.Max(above)
		for _, i := range t.order {
			if above[i] == top {
				roots = append(roots, i)
			}
		}
	}
	t.rank = t.ranks(roots)
	if slices.Max(t.rank) == 0 {
		return t.refuse("all %d switches are at the top", len(t.sw))
	}
	return nil
}

// makeGroups collects the cables of each switch by neighbour, and neighbours by
// where they are.
func (t *tree) makeGroups() {
	n := len(t.sw)
	t.up, t.down, t.level = make([][]*group, n), make([][]*group, n), make([][]*group, n)
	for i := range t.sw {
		for p, l := range t.sw[i].ports {
			switch {
			case l.sw == int32(i):
			case l.sw >= 0 && t.rank[l.sw] < t.rank[i]:
				t.up[i] = addCable(t.up[i], l, uint8(p), t.sw[l.sw].portGUID)
			case l.sw >= 0 && t.rank[l.sw] > t.rank[i]:
				t.down[i] = addCable(t.down[i], l, uint8(p), t.sw[l.sw].portGUID)
			case l.sw >= 0:
				t.level[i] = addCable(t.level[i], l, uint8(p), t.sw[l.sw].portGUID)
			case l.end >= 0:
				t.down[i] = addCable(t.down[i], l, uint8(p), t.ends[l.end].guid)
			}
		}
	}
}

func addCable(groups []*group, l link, port uint8, guid units.GUID) []*group {
	for _, g := range groups {
		if g.sw == l.sw && g.end == l.end {
			g.cables = append(g.cables, cable{port: port, far: l.port})
			return groups
		}
	}
	return append(groups, &group{sw: l.sw, end: l.end, guid: guid, cables: []cable{{port: port, far: l.port}}})
}

func (t *tree) isCompute(e int32) bool {
	return len(t.opt.ComputeNodes) == 0 || slices.Contains(t.opt.ComputeNodes, t.ends[e].guid)
}

func (t *tree) markLeaves() error {
	if len(t.opt.Roots) == 0 {
		t.leafRank = slices.Max(t.rank)
	} else {
		found := false
		for i := range t.ends {
			if t.isCompute(int32(i)) && t.ends[i].sw >= 0 {
				t.leafRank, found = t.rank[t.ends[i].sw], true
				break
			}
		}
		if !found {
			return t.refuse("it has no compute node")
		}
	}
	if r := int(t.leafRank) + 1; r < minTreeRank || r > maxTreeRank {
		return t.refuse("it has %d levels of switches; ftree takes %d to %d", r, minTreeRank, maxTreeRank)
	}
	for i := range t.ends {
		if sw := t.ends[i].sw; sw >= 0 && t.isCompute(int32(i)) && t.rank[sw] != t.leafRank {
			return t.refuse("host %v hangs on switch %v %d levels below the top, and the leaves are %d below", t.ends[i].guid, t.sw[sw].guid, t.rank[sw], t.leafRank)
		}
	}
	return nil
}

func (t *tree) indexAll() {
	t.index = make([]string, len(t.sw))
	taken := map[string]bool{}
	give := func(sw int32, idx []byte) { t.index[sw] = string(idx); taken[string(idx)] = true }
	start := int32(-1)
	for _, i := range t.order {
		if t.isLeaf(i) {
			start = i
			break
		}
	}
	first := make([]byte, maxTreeRank+2)
	first[0] = t.rank[start]
	give(start, first)
	queue := []int32{start}
	next := func(from int32, g *group, at int, step int8) {
		if g.sw < 0 || t.index[g.sw] != "" {
			return
		}
		idx := []byte(t.index[from])
		idx[0] = byte(int8(idx[0]) + step)
		for n := 0; n < 255; n++ {
			idx[at] = byte(n)
			if !taken[string(idx)] {
				give(g.sw, idx)
				queue = append(queue, g.sw)
				return
			}
		}
	}
	byIndex := func(a, b *group) int {
		if a.sw < 0 || b.sw < 0 {
			return 0
		}
		return cmp.Compare(t.index[a.sw], t.index[b.sw])
	}
	for head := 0; head < len(queue); head++ {
		u := queue[head]
		r := int(t.rank[u])
		if t.rank[u] < t.leafRank {
			for _, g := range t.down[u] {
				next(u, g, r+1, 1)
			}
			slices.SortStableFunc(t.down[u], byIndex)
		}
		for _, g := range t.up[u] {
			next(u, g, r, -1)
		}
		slices.SortStableFunc(t.up[u], byIndex)
	}
}

func (t *tree) isLeaf(i int32) bool {
	for _, g := range t.down[i] {
		if g.end >= 0 && t.isCompute(g.end) {
			return true
		}
	}
	return false
}

func (t *tree) collectLeaves() {
	var all []int32
	for _, i := range t.order {
		if t.rank[i] == t.leafRank {
			all = append(all, i)
		}
	}
	slices.SortStableFunc(all, func(a, b int32) int { return cmp.Compare(t.index[a], t.index[b]) })
	for len(all) > 0 && !t.isLeaf(all[0]) {
		all = all[1:]
	}
	for len(all) > 0 && !t.isLeaf(all[len(all)-1]) {
		all = all[:len(all)-1]
	}
	t.leaves = all
}

func (t *tree) validate() error {
	ref := make([]int32, int(t.leafRank)+1)
	for i := range ref {
		ref[i] = -1
	}
	for _, i := range t.order {
		r := t.rank[i]
		if ref[r] < 0 {
			ref[r] = i
			continue
		}
		a, b := ref[r], i
		if len(t.up[a]) != len(t.up[b]) {
			return t.refuse("switches %v and %v have %d and %d neighbours above", t.sw[a].guid, t.sw[b].guid, len(t.up[a]), len(t.up[b]))
		}
		if r != t.leafRank && len(t.down[a]) != len(t.down[b]) {
			return t.refuse("switches %v and %v have %d and %d neighbours below", t.sw[a].guid, t.sw[b].guid, len(t.down[a]), len(t.down[b]))
		}
		for _, g := range t.up[b] {
			if len(g.cables) != len(t.up[a][0].cables) {
				return t.refuse("switches %v and %v have %d and %d cables to a neighbour above", t.sw[a].guid, t.sw[b].guid, len(t.up[a][0].cables), len(g.cables))
			}
		}
		if r != t.leafRank && len(t.down[a]) > 0 {
			for _, g := range t.down[b] {
				if len(g.cables) != len(t.down[a][0].cables) {
					return t.refuse("switches %v and %v have %d and %d cables to a neighbour below", t.sw[a].guid, t.sw[b].guid, len(t.down[a][0].cables), len(g.cables))
				}
			}
		}
	}
	return nil
}

func (t *tree) begin() {
	for i := range t.port {
		t.port[i], t.hops[i] = subnet.NoPort, noWay
	}
}

func (t *tree) finish(lid units.LID) {
	for i, p := range t.port {
		t.tab.LFT[i][lid] = p
	}
}

func (t *tree) routeAll() {
	t.port, t.hops = make([]uint8, len(t.sw)), make([]uint8, len(t.sw))
	most := 0
	for _, i := range t.leaves {
		n := 0
		for _, g := range t.down[i] {
			if g.end >= 0 && t.isCompute(g.end) {
				n++
			}
		}
		most = max(most, n)
	}
	for _, i := range t.leaves {
		n := 0
		for _, g := range slices.Clone(t.down[i]) {
			if g.end >= 0 && t.isCompute(g.end) {
				n++
				t.begin()
				t.port[i], t.hops[i] = g.cables[0].port, 1
				t.goUp(i, -1, true, true, 0, 0, 1)
				t.finish(t.ends[g.end].lid)
			}
		}
		for ; n < most; n++ {
			t.begin()
			t.goUp(i, -1, true, false, 0, 0, 1)
		}
	}
	for i := range t.ends {
		e := &t.ends[i]
		if e.sw < 0 || t.isCompute(int32(i)) {
			continue
		}
		credit := 0
		if slices.Contains(t.opt.IONodes, e.guid) {
			credit = t.opt.ReverseHops
		}
		t.begin()
		t.port[e.sw], t.hops[e.sw] = e.port, 1
		t.goUp(e.sw, -1, true, true, credit, 0, 1)
		t.finish(e.lid)
	}
	for _, i := range t.order {
		t.begin()
		t.port[i], t.hops[i] = 0, 0
		t.goUp(i, -1, false, true, 0, 0, 0)
		t.finish(t.sw[i].lid)
	}
}

// leastDown is the least load of any group up from a switch.
func (t *tree) leastDown(i int32) int32 {
	least := int32(1<<31 - 1)
	for _, g := range t.up[i] {
		least = min(least, g.down)
	}
	return least
}

func (t *tree) goUp(u, prev int32, main, real bool, credit, reverse, hops int) bool {
	created := t.goDown(u, prev, main, real, hops)
	if t.rank[u] == 0 {
		return created
	}
	slices.SortStableFunc(t.up[u], func(a, b *group) int {
		return cmp.Or(cmp.Compare(a.down, b.down), cmp.Compare(t.index[a.sw], t.index[b.sw]))
	})
	groups := slices.Clone(t.up[u])
	for k, g := range groups {
		isMain := main && k == 0
		if !isMain && !real {
			break
		}
		c := &g.cables[0]
		for n := range g.cables {
			if g.cables[n].down < c.down {
				c = &g.cables[n]
			}
		}
		if isMain {
			if real {
				if t.port[g.sw] == subnet.NoPort || hops+1 < int(t.hops[g.sw]) {
					t.port[g.sw], t.hops[g.sw] = c.far, uint8(hops+1)
				}
			}
			t.goUp(g.sw, u, true, real, credit, reverse, hops+1)
			g.down++
			c.down++
			continue
		}
		if t.port[g.sw] != subnet.NoPort && hops+1 >= int(t.hops[g.sw]) {
			continue
		}
		t.port[g.sw], t.hops[g.sw] = c.far, uint8(hops+1)
		t.goUp(g.sw, u, false, real, credit, reverse, hops+1)
	}
	return created
}

func (t *tree) goDown(u, prev int32, main, real bool, hops int) bool {
	created := false
	slices.SortStableFunc(t.down[u], func(a, b *group) int { return cmp.Compare(a.up, b.up) })
	groups := slices.Concat(t.down[u], t.level[u])
	for _, g := range groups {
		if g.sw < 0 {
			created = true
			continue
		}
		if g.sw == prev {
			continue
		}
		c := &g.cables[0]
		for n := range g.cables {
			if g.cables[n].up < c.up {
				c = &g.cables[n]
			}
		}
		if real && t.port[g.sw] != subnet.NoPort && hops+1 >= int(t.hops[g.sw]) {
			continue
		}
		if real {
			t.port[g.sw], t.hops[g.sw] = c.far, uint8(hops+1)
		}
		routed := t.goDown(g.sw, -1, main, real, hops+1)
		created = created || routed
		if routed {
			g.up++
			c.up++
		}
	}
	return created
}
