package engine

import "weft/internal/subnet"

// maxCompared is how many ends a fabric may have for its trees to be compared
// with OpenSM's in every shift: the paths between all pairs are walked twice,
// which for so many takes some 20 ms.
const maxCompared = 512

// orOpenSMs returns the trees at hand, or those that OpenSM would grow where
// these put less on the most loaded cable in some pattern of traffic: so that no
// pattern is the worse for not asking OpenSM. Paths must be as short, too: OpenSM's
// are longer than they need be where its weights outgrow their start.
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
	if theirs := o.patterns(); theirs.hops > ours.hops || ours.noWorseThan(theirs) {
		kept.restore(j.tab.LFT)
		return s
	}
	o.followEnds(targets)
	j.notes = append(j.notes, "the trees are OpenSM's: in some pattern of traffic they load the most loaded cable less than weft's own")
	return o
}

// patternLoads are the flows on the most loaded cable in patterns of all ends, in
// the order of nodes' names.
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

// patterns measures the trees in the tables, to each end's first LID.
func (s *spanner) patterns() *patternLoads {
	x := s.newShifts(s.f.ownTrees())
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

// ownTrees lists the ends' first LIDs as trees: each has its own.
func (f *fabric) ownTrees() []grown {
	var trees []grown
	for i := range f.ends {
		if e := &f.ends[i]; e.sw >= 0 {
			trees = append(trees, grown{int(e.lid), e.sw, e.port, 1})
		}
	}
	return trees
}
