package route

import "slices"

// acyclic keeps lanes free of loops while paths are added one by one. Each lane has a topological
// order of its channels. If a new dependency contradicts it, the order is repaired (Pearce and
// Kelly, "A dynamic topological sort algorithm for directed acyclic graphs", 2006).
type acyclic struct {
	s     *spanner
	lanes []*ordered
	most  int
}

func newAcyclic(s *spanner, lanes int) *acyclic { return &acyclic{s: s, most: lanes} }

// first puts a path on the lowest lane on which it closes no loop. path calls its argument for each
// dependency of the path on a layer.
func (a *acyclic) first(path func(*layer, func(int))) (uint8, bool) {
	for lane := range a.most {
		if lane == len(a.lanes) {
			a.lanes = append(a.lanes, newOrdered(a.s))
		}
		if a.lanes[lane].add(path) {
			return uint8(lane), true
		}
	}
	return 0, false
}

// ordered is a lane without loops.
type ordered struct {
	*layer
	rank  []int32 // by channel; dependencies lead to higher ranks
	edges []int   // of the current path
	mark  []bool
	ahead []int32 // scratch of repair
	back  []int32
}

func newOrdered(s *spanner) *ordered {
	o := &ordered{layer: newLayer(s), rank: make([]int32, len(s.to)), mark: make([]bool, len(s.to))}
	for c := range o.rank {
		o.rank[c] = int32(c)
	}
	return o
}

// add puts a path on the lane unless it closes a loop there.
func (o *ordered) add(path func(*layer, func(int))) bool {
	o.edges = o.edges[:0]
	path(o.layer, func(e int) { o.edges = append(o.edges, e) })
	for i, e := range o.edges {
		if o.paths[e] == 0 && !o.admit(e) {
			for _, done := range o.edges[:i] {
				o.paths[done]--
			}
			return false
		}
		o.paths[e]++
	}
	return true
}

// admit makes the order agree with a new dependency, and returns false if that closes a loop.
func (o *ordered) admit(e int) bool {
	x, y := int32(e/o.stride), o.target(e)
	lo, hi := o.rank[y], o.rank[x]
	if hi < lo {
		return true
	}
	found := o.forward(y, x, hi)
	if !found {
		o.backward(x, lo)
		o.repair()
	}
	for _, c := range o.ahead {
		o.mark[c] = false
	}
	for _, c := range o.back {
		o.mark[c] = false
	}
	o.ahead, o.back = o.ahead[:0], o.back[:0]
	return !found
}

// forward collects the channels reached from c within the ranks up to hi, and reports
// whether goal is among them.
func (o *ordered) forward(c, goal, hi int32) bool {
	o.ahead = append(o.ahead, c)
	o.mark[c] = true
	for at := 0; at < len(o.ahead); at++ {
		c = o.ahead[at]
		if c == goal {
			return true
		}
		for e := int(c) * o.stride; e < (int(c)+1)*o.stride; e++ {
			if o.paths[e] == 0 {
				continue
			}
			if d := o.target(e); !o.mark[d] && o.rank[d] <= hi {
				o.mark[d] = true
				o.ahead = append(o.ahead, d)
			}
		}
	}
	return false
}

// backward collects the channels that reach c within the ranks down to lo.
func (o *ordered) backward(c, lo int32) {
	o.back = append(o.back, c)
	o.mark[c] = true
	for at := 0; at < len(o.back); at++ {
		c = o.back[at]
		u := o.s.at[c]
		port := uint8(int(c) - o.s.f.base[u])
		for p := o.s.f.base[u]; p < o.s.f.base[u+1]; p++ {
			v := o.s.to[p]
			if v < 0 {
				continue
			}
			d := int32(o.s.f.base[v] + int(o.s.in[p])) // the cable's other direction, into u
			if !o.mark[d] && o.rank[d] >= lo && o.paths[o.edge(d, port)] > 0 {
				o.mark[d] = true
				o.back = append(o.back, d)
			}
		}
	}
}

// repair reassigns the ranks of the collected channels: first to the channels that reach
// the new dependency, then to the channels that it reaches, each in their former order.
func (o *ordered) repair() {
	byRank := func(a, b int32) int { return int(o.rank[a]) - int(o.rank[b]) }
	slices.SortFunc(o.back, byRank)
	slices.SortFunc(o.ahead, byRank)
	ranks := make([]int32, 0, len(o.back)+len(o.ahead))
	for _, c := range o.back {
		ranks = append(ranks, o.rank[c])
	}
	for _, c := range o.ahead {
		ranks = append(ranks, o.rank[c])
	}
	slices.Sort(ranks)
	for i, c := range o.back {
		o.rank[c] = ranks[i]
	}
	for i, c := range o.ahead {
		o.rank[c] = ranks[len(o.back)+i]
	}
}
