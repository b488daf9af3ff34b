package engine

import "math"

// How far routes are refined.
const (
	// maxStale is after how many passes that bring nothing refining ends. Each
	// that counts lowers the greatest load, so that there is an end.
	maxStale = 3
	// maxRefined bounds the work of a pass, in cables looked at: beyond it,
	// which is some 20,000 ends in a large tree, a pass takes seconds.
	maxRefined = 1 << 30
	// priceScale and priceTop are the units in which a cable's load is priced:
	// the mean load is priceScale. Squares of priceTop can be added along the
	// longest path without overflow.
	priceScale = 1 << 10
	priceTop   = 1 << 27
)

// refine takes trees out one by one and grows them again in a fabric that is
// loaded by all others, dearer by a power of the load, several times over. It
// keeps what loads the most loaded cable least. The trees are in the tables.
func (s *spanner) refine(roots []grown) {
	if len(roots)*len(s.to) > maxRefined {
		return
	}
	price := make([]int64, len(s.weight))
	load := append([]int64(nil), s.weight...)
	best := append([]int64(nil), s.weight...)
	least, mean := s.extremes(load)
	keep := make([][]uint8, len(s.f.tab.LFT))
	for u, row := range s.f.tab.LFT {
		keep[u] = append([]uint8(nil), row...)
	}
	s.weight = price
	for stale := 0; stale < maxStale && least*8 > mean*9; stale++ {
		for c := range load {
			price[c] = priceOf(load[c], mean)
		}
		for i := range roots {
			s.regrow(&roots[i], load, mean)
		}
		most, _ := s.extremes(load)
		if most >= least {
			continue
		}
		least, stale = most, -1
		copy(best, load)
		for u := range keep {
			copy(keep[u], s.f.tab.LFT[u])
		}
	}
	s.weight = best
	for u := range keep {
		copy(s.f.tab.LFT[u], keep[u])
	}
}

// grown is a tree in the tables: a LID that hangs on a port of a switch, with
// others that share its tree, and how much a path of it counts.
type grown struct {
	lid   int
	root  int32
	port  uint8
	times int64
}

// regrow moves one tree.
func (s *spanner) regrow(g *grown, load []int64, mean int64) {
	if len(s.order) == 0 || s.order[0] != g.root {
		s.aim(g.root)
	}
	for _, u := range s.order[1:] {
		s.via[u] = int32(s.f.base[u] + int(s.f.tab.LFT[u][g.lid]))
	}
	s.takeOut(load, mean, g.times)
	s.grow()
	s.settle(load, mean, g.times)
	s.write(g.lid, g.port)
}

// settle lets the switches with ends choose their ways one after the other,
// the farthest first, with the loads of those before them: all at once they
// would crowd the cable that was lightest before. A switch on the way that has
// chosen sends all further paths the same way.
func (s *spanner) settle(load []int64, mean, times int64) {
	for i := range s.chosen {
		s.chosen[i] = false
	}
	root := s.order[0]
	for i := len(s.order) - 1; i > 0; i-- {
		paths := s.ends[s.order[i]] * times
		if paths == 0 {
			continue
		}
		for u := s.order[i]; u != root; u = s.to[s.via[u]] {
			if !s.chosen[u] {
				s.via[u], s.chosen[u] = s.lightest(u), true
			}
			c := s.via[u]
			load[c] += paths
			s.weight[c] = priceOf(load[c], mean)
		}
	}
}

// lightest is the first cable of the way to the root that is lightest now, the
// other switches' ways being what they are.
func (s *spanner) lightest(u int32) int32 {
	best, least := int32(-1), int64(math.MaxInt64)
	at := s.place[u]
	for _, c := range s.choices[s.first[at]:s.first[at+1]] {
		w := s.weight[c]
		for v := s.to[c]; s.via[v] >= 0 && w < least; v = s.to[s.via[v]] {
			w += s.weight[s.via[v]]
		}
		if w < least {
			best, least = c, w
		}
	}
	return best
}

// takeOut removes the paths of the tree at hand from the loads.
func (s *spanner) takeOut(load []int64, mean, times int64) {
	for _, u := range s.order {
		s.load[u] = s.ends[u]
	}
	for i := len(s.order) - 1; i > 0; i-- {
		u := s.order[i]
		if paths := s.load[u]; paths > 0 {
			c := s.via[u]
			load[c] -= paths * times
			s.weight[c] = priceOf(load[c], mean)
			s.load[s.to[c]] += paths
		}
	}
}

func priceOf(load, mean int64) int64 {
	p := min(load*priceScale/max(mean, 1), priceTop)
	return p * p
}

// extremes are the most and the mean load of all cables between switches.
func (s *spanner) extremes(load []int64) (most, mean int64) {
	cables := int64(0)
	for c, v := range s.to {
		if v >= 0 {
			most = max(most, load[c])
			mean += load[c]
			cables++
		}
	}
	return most, mean / max(cables, 1)
}
