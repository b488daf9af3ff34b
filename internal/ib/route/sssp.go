package route

import "weft/units"

// sssp gives each LID of an end its own tree of shortest paths, on the cables with the least load
// from earlier trees (Hoefler, Schneider and Lumsdaine, 2009). It balances over the whole fabric;
// minhop balances the ports of one switch only. It does not avoid credit loops.
func sssp(j *job) error {
	j.growTrees()
	return nil
}

// growTrees fills the tables with the trees of sssp: OpenSM's with AsOpenSM, else weft's.
func (j *job) growTrees() *spanner {
	s := newSpanner(j.fabric)
	if j.opt.AsOpenSM {
		s.routeAsOpenSM()
		j.hops, j.toEnds = j.usedPorts, true
		return s
	}
	targets := j.targets()
	s.routeAll(targets)
	j.hops = j.shortestPaths().columns
	return j.orOpenSMs(s, targets)
}

// routeAll routes all targets in their order: with an LMC the first LIDs of all, then the
// second LIDs. A switch gets the path of its first end, so the two have the same lane in dfsssp;
// its own traffic is not counted.
func (s *spanner) routeAll(targets []target) {
	widest := 1
	for i := range targets {
		widest = max(widest, targets[i].width)
	}
	aimed := int32(-1)
	aim := func(root int32) {
		if root != aimed {
			s.aim(root)
			aimed = root
		}
	}
	var trees []grown
	for k := range widest {
		for i := range targets {
			if t := &targets[i]; t.counted && t.sw >= 0 && k < t.width {
				aim(t.sw)
				s.grow()
				s.charge(1)
				s.write(int(t.lid)+k, t.port)
				trees = append(trees, grown{int(t.lid) + k, t.sw, t.port, 1})
			}
		}
	}
	s.refine(trees)
	s.followEnds(targets)
}

// followEnds routes the LID of each switch along the path of its first end, if there is one.
func (s *spanner) followEnds(targets []target) {
	for i := range targets {
		t := &targets[i]
		if t.counted {
			continue
		}
		model, ok := s.f.firstEnd(t.sw)
		if !ok {
			s.aim(t.sw)
			s.grow()
		}
		for k := range t.width {
			if ok {
				s.copyColumn(t.sw, int(t.lid)+k, int(model))
			} else {
				s.write(int(t.lid)+k, 0)
			}
		}
	}
}

// firstEnd is the LID of the end at the switch's lowest port with an end.
func (f *fabric) firstEnd(sw int32) (units.LID, bool) {
	for _, l := range f.sw[sw].ports {
		if l.end >= 0 {
			return f.ends[l.end].lid, true
		}
	}
	return 0, false
}

// copyColumn routes a switch's own LID like the LID of an end on it.
func (s *spanner) copyColumn(sw int32, lid, model int) {
	for u := range s.f.sw {
		s.f.tab.LFT[u][lid] = s.f.tab.LFT[u][model]
	}
	s.f.tab.LFT[sw][lid] = 0
}
