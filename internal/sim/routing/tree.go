package routing

// treeStatic routes trees: see the package's comment. For each destination it climbs from the leaf
// to the top. The switches on this climb are the destination's spine and core, and packets come
// down on its cables.
type treeStatic struct {
	w      *wires
	up     [][]uint16 // by switch: its ports to the next level
	above  []int32    // by switch: the number of switches at these ports
	anc    []uint64   // by switch: the set of switches above, at any level
	words  int
	dist   []int32
	c      *class
	climbs []climb // by destination of the class and leaf of it
}

// step is a switch of a destination's climb.
type step struct {
	sw     int32
	down   uint16 // its port down to the step below
	stride int32  // divisor of v at this level
}

// maxLevels bounds the height of a tree: leaf, spine, core, and one more for fabrics that were read
// from files.
const maxLevels = 4

type climb struct {
	base  int8 // level of the leaf
	n     int
	steps [maxLevels]step
}

// at is the step at a level, nil when the climb does not reach it.
func (c *climb) at(level int8) *step {
	if i := int(level - c.base); i >= 0 && i < c.n {
		return &c.steps[i]
	}
	return nil
}

func newTreeStatic(w *wires) *treeStatic {
	st := &treeStatic{w: w, up: make([][]uint16, w.switches), above: make([]int32, w.switches), words: (w.switches + 63) / 64}
	st.anc = make([]uint64, w.switches*st.words)
	top := int8(0)
	for s := range w.switches {
		top = max(top, w.level[s])
		seen := map[int32]bool{}
		for p, y := range w.peers(s) {
			if y >= 0 && w.level[y] == w.level[s]+1 {
				st.up[s] = append(st.up[s], uint16(p))
				seen[y] = true
			}
		}
		st.above[s] = int32(len(seen))
	}
	for l := top - 1; l >= 0; l-- {
		for s := range w.switches {
			if w.level[s] == l {
				st.collectAbove(s)
			}
		}
	}
	return st
}

// collectAbove unites the sets of the switches above s, which are complete.
func (st *treeStatic) collectAbove(s int) {
	mine := st.anc[s*st.words : (s+1)*st.words]
	done := int32(-1)
	for _, p := range st.up[s] {
		y := st.w.peers(s)[p]
		if y == done || mine[y/64]&(1<<(y%64)) != 0 {
			continue
		}
		done = y
		mine[y/64] |= 1 << (y % 64)
		for i, word := range st.anc[int(y)*st.words : (int(y)+1)*st.words] {
			mine[i] |= word
		}
	}
}

func (st *treeStatic) isAbove(high, low int32) bool {
	return st.anc[int(low)*st.words+int(high/64)]&(1<<(high%64)) != 0
}

func (st *treeStatic) class(c *class, dist []int32) {
	st.c, st.dist = c, dist
	st.climbs = st.climbs[:0]
	for _, e := range c.dests {
		for _, l := range c.leaves {
			st.climbs = append(st.climbs, st.climb(l, st.w.order[e]))
		}
	}
}

func (st *treeStatic) climb(leaf, v int32) climb {
	c := climb{base: st.w.level[leaf], n: 1}
	c.steps[0] = step{sw: leaf, down: NoPort, stride: 1}
	for c.n < maxLevels {
		last := &c.steps[c.n-1]
		ups := st.up[last.sw]
		if len(ups) == 0 {
			break
		}
		p := ups[int(v/last.stride)%len(ups)]
		y := st.w.peers(int(last.sw))[p]
		c.steps[c.n] = step{sw: y, down: st.w.across(last.sw, p), stride: last.stride * st.above[last.sw]}
		c.n++
	}
	return c
}

func (st *treeStatic) port(s, k int, set []uint16) uint16 {
	v := st.w.order[st.c.dests[k]]
	for i := range st.c.leaves {
		c := &st.climbs[k*len(st.c.leaves)+i]
		if len(st.c.leaves) > 1 && !st.serves(c, int32(s)) {
			continue // the leaf of another plane
		}
		return st.along(int32(s), v, c, set)
	}
	return set[int(v)%len(set)]
}

// serves reports whether the leaf of a climb is in the plane of a switch.
func (st *treeStatic) serves(c *climb, s int32) bool {
	leaf := c.steps[0].sw
	return st.w.plane(leaf) == st.w.plane(s)
}

// along is the port of s on the destination's climb.
func (st *treeStatic) along(s, v int32, c *climb, set []uint16) uint16 {
	h := st.w.level[s]
	twice := st.dist[s] + int32(c.base) - int32(h)
	if twice == 0 {
		if here := c.at(h); here != nil && here.sw == s {
			return here.down
		}
		return set[int(v)%len(set)]
	}
	apex := c.at(h + int8(twice/2))
	if twice < 0 || twice%2 != 0 || apex == nil {
		return set[int(v)%len(set)]
	}
	peers := st.w.peers(int(s))
	leads := func(p uint16) bool {
		y := peers[p]
		return y == apex.sw || twice > 2 && st.isAbove(apex.sw, y)
	}
	stride := int32(1)
	if here := c.at(h); here != nil {
		stride = here.stride
	}
	if ups := st.up[s]; len(ups) > 0 {
		if p := ups[int(v/stride)%len(ups)]; leads(p) {
			return p
		}
	}
	return st.fallback(s, v, stride, set, leads)
}

// fallback chooses among the minimal ports that lead to the destination's tree, or among all if
// none does.
func (st *treeStatic) fallback(s, v, stride int32, set []uint16, leads func(uint16) bool) uint16 {
	n := 0
	for _, p := range set {
		if leads(p) {
			n++
		}
	}
	nth := v / stride / max(st.above[s], 1)
	if n == 0 {
		return set[int(v/stride)%len(set)]
	}
	pick := int(nth) % n
	for _, p := range set {
		if leads(p) {
			if pick == 0 {
				return p
			}
			pick--
		}
	}
	panic("routing: a counted port is gone")
}
