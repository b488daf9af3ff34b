package route

import "math"

// Bounds and units of refine.
const (
	// maxPasses bounds the passes of each kind, regrow and resettle, over all trees. A pass without
	// an improvement is the last.
	maxPasses = 8
	// maxRefined bounds the work of a pass, in visited cables. Above it, at some 20,000 ends in a
	// large tree, a pass takes seconds.
	maxRefined = 1 << 30
	// priceScale is the price of the mean load of a cable, priceTop the highest price. Squares of
	// priceTop can be added along the longest path without overflow.
	priceScale = 1 << 10
	priceTop   = 1 << 27
)

// refine removes trees one by one and grows them again under the load of all others. The price of a
// cable is the square of its load. Passes with whole trees come first, then passes switch by switch
// (settle). The trees are in the tables. The state with the least product of the highest cable load
// and the contention of shifts is kept. The highest load alone would part the paths to a
// destination for a small gain, but shifts need common paths.
func (s *spanner) refine(roots []grown) {
	load := append([]int64(nil), s.weight...)
	most, mean := s.extremes(load)
	if most*8 <= mean*9 || len(roots)*len(s.to) > maxRefined {
		return
	}
	shifts := s.newShifts(roots)
	best := state{load: s.weight, score: most * shifts.contention()}
	best.keep(s.f.tab.LFT)
	s.weight = make([]int64, len(load))
	for _, grow := range []func(*grown, []int64, int64){s.regrow, s.resettle} {
		for pass, better := 0, true; better && pass < maxPasses; pass++ {
			for c := range load {
				s.weight[c] = priceOf(load[c], mean)
			}
			for i := range roots {
				grow(&roots[i], load, mean)
			}
			most, _ := s.extremes(load)
			score := most * shifts.contention()
			if better = score < best.score; !better {
				break
			}
			best.score = score
			copy(best.load, load)
			best.keep(s.f.tab.LFT)
		}
		copy(load, best.load)
		best.restore(s.f.tab.LFT)
	}
	s.weight = best.load
}

// state is tables with their loads.
type state struct {
	load  []int64
	lft   [][]uint8
	score int64
}

func (x *state) keep(lft [][]uint8) {
	if x.lft == nil {
		x.lft = make([][]uint8, len(lft))
	}
	for u, row := range lft {
		x.lft[u] = append(x.lft[u][:0], row...)
	}
}

func (x *state) restore(lft [][]uint8) {
	for u, row := range x.lft {
		copy(lft[u], row)
	}
}

// grown is a tree in the tables: the LID at a port of a switch, the other LIDs that share
// its tree, and the weight of a path.
type grown struct {
	lid   int
	root  int32
	port  uint8
	times int64
}

// regrow moves one tree as a whole.
func (s *spanner) regrow(g *grown, load []int64, mean int64) {
	s.lift(g, load, mean)
	s.grow()
	s.book(load, mean, g.times)
	s.write(g.lid, g.port)
}

// resettle moves one tree switch by switch.
func (s *spanner) resettle(g *grown, load []int64, mean int64) {
	s.lift(g, load, mean)
	s.grow()
	s.settle(load, mean, g.times)
	s.write(g.lid, g.port)
}

// lift takes a tree out of the loads.
func (s *spanner) lift(g *grown, load []int64, mean int64) {
	if len(s.order) == 0 || s.order[0] != g.root {
		s.aim(g.root)
	}
	for _, u := range s.order[1:] {
		s.via[u] = int32(s.f.base[u] + int(s.f.tab.LFT[u][g.lid]))
	}
	s.book(load, mean, -g.times)
}

// settle lets the switches with ends choose their paths one after the other, the farthest first,
// under the loads of earlier choices: a simultaneous choice would crowd the lightest cable. A
// switch that has chosen sends all later paths to the same port.
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
			load[c] += paths * s.slow[c]
			s.weight[c] = priceOf(load[c], mean)
		}
	}
}

// lightest is the first cable of the lightest path to the root, with the paths of the other
// switches unchanged.
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

// book adds the paths of the current tree to the loads, with the factor times, and updates the
// prices.
func (s *spanner) book(load []int64, mean, times int64) {
	for _, u := range s.order {
		s.load[u] = s.ends[u]
	}
	for i := len(s.order) - 1; i > 0; i-- {
		u := s.order[i]
		if paths := s.load[u]; paths > 0 {
			c := s.via[u]
			load[c] += paths * times * s.slow[c]
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
