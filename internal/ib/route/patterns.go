package route

import (
	"slices"

	"weft/internal/ib/subnet"
)

// maxCompared is the maximum number of ends of a fabric whose trees are compared with OpenSM's in
// every shift: the paths between all pairs are walked twice, which takes some 20 ms at this size.
const maxCompared = 512

// orOpenSMs returns the trees of s, or OpenSM's trees if these put less load on the most loaded
// cable in a traffic pattern. So no pattern is worse than with OpenSM. OpenSM's trees are taken
// only if their paths are as short: they can be longer than necessary when its weights exceed their
// initial value.
func (j *job) orOpenSMs(s *spanner, targets []target) *spanner {
	if len(j.ends) < 2 || len(j.ends) > maxCompared || len(j.opt.Order) > 0 {
		return s
	}
	ours := s.patterns()
	var kept state
	kept.keep(j.tab.LFT)
	for _, row := range j.tab.LFT {
		for lid := range row {
			row[lid] = subnet.NoPort
		}
	}
	o := newSpanner(j.fabric)
	o.routeAsOpenSM()
	theirs := o.patterns()
	if theirs.hops > ours.hops || ours.noWorseThan(theirs) {
		kept.restore(j.tab.LFT)
		return s
	}
	o.improve(theirs)
	o.followEnds(targets)
	j.notes = append(j.notes, "the trees are improved from OpenSM's, which load the most loaded cable less than weft's own in a traffic pattern")
	return o
}

// maxImproving is the maximum number of paths walked to measure trees in improve, for half a
// second.
const maxImproving = 1 << 26

// improve computes the trees in the tables again one by one. It keeps a new tree if all paths are
// then spread more evenly and no pattern exceeds the bound.
func (s *spanner) improve(bound *patternLoads) {
	trees := s.f.trees()
	load := make([]int64, len(s.to))
	for i := range trees {
		s.lift(&trees[i], load, 1)
	}
	for c := range load {
		load[c] = -load[c]
	}
	_, mean := s.extremes(load)
	for c := range load {
		s.weight[c] = priceOf(load[c], mean)
	}
	weight, before := slices.Clone(s.weight), slices.Clone(load)
	column := make([]uint8, len(s.f.sw))
	work := maxImproving / (len(s.f.ends) * len(s.f.ends))
	for better := true; better && work > 0; {
		better = false
		for i := range trees {
			g := &trees[i]
			for u, row := range s.f.tab.LFT {
				column[u] = row[g.lid]
			}
			s.regrow(g, load, mean)
			if evenness(load) < evenness(before) && work > 0 {
				work--
				if s.patterns().noWorseThan(bound) {
					better = true
					copy(before, load)
					copy(weight, s.weight)
					continue
				}
			}
			copy(load, before)
			copy(s.weight, weight)
			for u, row := range s.f.tab.LFT {
				row[g.lid] = column[u]
			}
		}
	}
}

// evenness is the sum of the squares of loads: the lower, the more even.
func evenness(load []int64) int64 {
	sum := int64(0)
	for _, x := range load {
		sum += x * x
	}
	return sum
}

// patternLoads is the flows on the most loaded cable in patterns of all ends, in the order of node
// names.
type patternLoads struct {
	next, before int32 // of the rings
	worst        int32 // of all shifts
	sum          int64 // over all shifts
	all          int64 // all-to-all
	hops         int64 // of all paths together
}

func (a *patternLoads) noWorseThan(b *patternLoads) bool {
	return a.next <= b.next && a.before <= b.before && a.worst <= b.worst && a.sum <= b.sum && a.all <= b.all
}

// patterns measures the trees in the tables to the first LID of each end.
func (s *spanner) patterns() *patternLoads {
	x := s.newShifts(s.f.trees())
	n := len(x.order)
	p := &patternLoads{}
	total := make([]int64, len(s.to))
	for k := 1; k < n; k++ {
		most := int32(0)
		for i, src := range x.order {
			most = max(most, x.flow(src, x.order[(i+k)%n]))
		}
		for _, c := range x.used {
			total[c] += int64(x.flows[c])
			p.hops += int64(x.flows[c])
			p.all = max(p.all, total[c])
			x.flows[c] = 0
		}
		x.used = x.used[:0]
		if k == 1 {
			p.next = most
		}
		p.before = most
		p.worst = max(p.worst, most)
		p.sum += int64(most)
	}
	return p
}

// trees lists the LIDs of ends, one tree for each.
func (f *fabric) trees() []grown {
	var trees []grown
	for i := range f.ends {
		e := &f.ends[i]
		for k := 0; k < e.width && e.sw >= 0; k++ {
			trees = append(trees, grown{int(e.lid) + k, e.sw, e.port, 1})
		}
	}
	return trees
}
