package engine

// How far routes are refined.
const (
	// maxPasses bounds how often all trees are grown again.
	maxPasses = 6
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
// loaded by all others, dearer by the square of the load, as long as that makes
// the most loaded cable less loaded. The trees are in the tables; roots has
// their LIDs by switch, and times how many paths stand for each of theirs.
func (s *spanner) refine(roots []grown) {
	keep := make([][]uint8, len(s.f.tab.LFT))
	load := append([]int64(nil), s.weight...)
	price := make([]int64, len(load))
	for range maxPasses {
		most, mean := s.extremes(load)
		if most*8 <= mean*9 || len(roots)*len(s.to) > maxRefined {
			return
		}
		for u, row := range s.f.tab.LFT {
			keep[u] = append(keep[u][:0], row...)
		}
		before := append([]int64(nil), load...)
		s.weight = price
		for c := range load {
			price[c] = priceOf(load[c], mean)
		}
		for i := range roots {
			s.regrow(&roots[i], load, mean)
		}
		s.weight = load
		if after, _ := s.extremes(load); after >= most {
			for u := range keep {
				copy(s.f.tab.LFT[u], keep[u])
			}
			copy(load, before)
			return
		}
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
	if s.order == nil || s.order[0] != g.root {
		s.aim(g.root)
	}
	for _, u := range s.order[1:] {
		s.via[u] = int32(s.f.base[u] + int(s.f.tab.LFT[u][g.lid]))
	}
	s.change(load, mean, -g.times)
	s.grow()
	s.change(load, mean, g.times)
	s.write(g.lid, g.port)
}

// change adds the paths of the tree at hand to loads, and prices them.
func (s *spanner) change(load []int64, mean, times int64) {
	for _, u := range s.order {
		s.load[u] = s.ends[u]
	}
	for i := len(s.order) - 1; i > 0; i-- {
		u := s.order[i]
		if paths := s.load[u]; paths > 0 {
			c := s.via[u]
			load[c] += paths * times
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
