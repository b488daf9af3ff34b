package route

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"weft/internal/ib/subnet"
	"weft/units"
)

// lash routes along shortest paths, one tree per switch, and gives each pair of switches with ends
// the lowest lane on which the paths in both directions close no loop (Skeie, Lysne and Theiss,
// "Layered shortest path (LASH) routing in irregular system area networks", 2002). Distant pairs
// come first, because their paths are hard to place.
//
// It takes the shortest paths through the lowest ports. With regular cabling these are regular too,
// and need few lanes. Ends share the cables between two switches. If a cable then carries much more
// load than with balanced trees as in sssp, and the lanes suffice for these, the balanced trees are
// used.
func lash(j *job) error {
	j.unpredictable = "these are weft's own tables of lash: OpenSM's choice of shortest trees and of lanes is not followed"
	j.hops = j.shortestPaths().columns
	have, targets := j.lanes(), j.targets()
	s := newSpanner(j.fabric)
	pairs := s.routeBySwitch(true)
	even, _ := s.extremes(s.weight)
	plain := newSpanner(j.fabric)
	plain.routeBySwitch(false)
	plain.shareCables(targets)
	if low, _ := plain.extremes(plain.weight); low*2 > even*3 {
		s.routeBySwitch(true)
		lane, used, err := j.placePairs(s, pairs, have)
		if err == nil {
			j.useLanes(lane, used)
			return nil
		}
		j.notes = append(j.notes, fmt.Sprintf("balanced paths need more than %d virtual lanes, so each switch takes the lowest port of its shortest paths, which loads cables less evenly", have))
		plain.routeBySwitch(false)
		plain.shareCables(targets)
	}
	lane, used, err := j.placePairs(plain, pairs, have)
	if err == nil {
		j.useLanes(lane, used)
	}
	return err
}

// useLanes makes the lanes of pairs the service levels of paths.
func (j *job) useLanes(lane [][]uint8, used int) {
	j.tab.Lanes = used
	if used > 1 {
		j.tab.SL = j.levelOfPair(lane)
	}
}

// placePairs assigns a lane to each pair, from at most have lanes, and returns the number of lanes
// needed.
func (j *job) placePairs(s *spanner, pairs []pair, have int) (lane [][]uint8, used int, err error) {
	lanes := newAcyclic(s, have)
	lane = make([][]uint8, len(j.sw))
	for i := range lane {
		lane[i] = make([]uint8, len(j.sw))
	}
	for _, p := range pairs {
		l, ok := lanes.first(func(l *layer, visit func(int)) {
			l.walk(p.a, int(j.sw[p.b].lid), p.b, visit)
			l.walk(p.b, int(j.sw[p.a].lid), p.a, visit)
		})
		if !ok {
			return nil, 0, &Refusal{
				Engine: "lash",
				Reason: fmt.Sprintf("the switches have %d virtual lanes, and the path between %s and %s closes a loop on each of them", have, j.nameOf(p.a), j.nameOf(p.b)),
				Remedy: "Use updn or dnup, or torus-2QoS if the fabric is a torus; or give the data more lanes if the switches have them",

				unpredictable: "OpenSM takes minhop in place of lash if its lanes do not suffice, and the number that its lash needs is not known",
			}
		}
		lane[p.a][p.b], lane[p.b][p.a] = l, l
	}
	return lane, max(len(lanes.lanes), 1), nil
}

// pair is two switches with ends and paths between them.
type pair struct {
	a, b int32
	hops uint8
}

// routeBySwitch routes all LIDs of a switch and of the ends on it along one
// tree, balanced or through the lowest ports, and lists the pairs of switches
// with ends, the farthest first. Each call starts with empty tables.
func (s *spanner) routeBySwitch(balanced bool) []pair {
	f := s.f
	var pairs []pair
	var trees []grown
	s.unload()
	idle := make([]int64, len(s.weight))
	loads := s.weight
	for _, root := range f.order {
		s.aim(root)
		if !balanced {
			s.weight = idle
		}
		s.grow()
		s.weight = loads
		s.charge(s.ends[root])
		s.write(int(f.sw[root].lid), 0)
		if s.ends[root] == 0 {
			continue
		}
		trees = append(trees, grown{int(f.sw[root].lid), root, 0, s.ends[root]})
		for _, u := range s.order[1:] {
			if u < root && s.ends[u] > 0 {
				pairs = append(pairs, pair{u, root, s.hops[u]})
			}
		}
	}
	if balanced {
		s.refine(trees)
	}
	for root := range f.sw {
		s.shareTree(int32(root))
	}
	slices.SortStableFunc(pairs, func(x, y pair) int { return cmp.Compare(y.hops, x.hops) })
	return pairs
}

// shareTree routes the ends on a switch, and its further LIDs, like the switch.
func (s *spanner) shareTree(root int32) {
	w := &s.f.sw[root]
	for k := 1; k < w.width; k++ {
		s.copyColumn(root, int(w.lid)+k, int(w.lid))
	}
	for _, l := range w.ports {
		if l.end < 0 {
			continue
		}
		e := &s.f.ends[l.end]
		for k := range e.width {
			s.copyColumn(root, int(e.lid)+k, int(w.lid))
			s.f.tab.LFT[root][int(e.lid)+k] = e.port
		}
	}
}

// shareCables spreads the trees of ends, one after the other, over all cables between the
// switches on their way, and leaves the new loads in the weights. Before, all trees use one cable
// between two switches; the trees of switches keep it. A loop over several cables is also a loop
// over the first cables, so lanes without loops for the trees of switches have none for the trees
// of ends.
func (s *spanner) shareCables(targets []target) {
	s.unload()
	for i := range targets {
		t := &targets[i]
		if !t.counted || t.sw < 0 {
			continue
		}
		s.aim(t.sw)
		for k := range t.width {
			s.shareAmong(int(t.lid) + k)
			s.write(int(t.lid)+k, t.port)
		}
	}
}

// shareAmong replaces each cable of a tree by the least loaded cable to the same switch.
func (s *spanner) shareAmong(lid int) {
	for _, u := range s.order {
		s.load[u] = s.ends[u]
	}
	for i := len(s.order) - 1; i > 0; i-- {
		u := s.order[i]
		next := s.to[s.f.base[u]+int(s.f.tab.LFT[u][lid])]
		least := int64(math.MaxInt64)
		for _, c := range s.choices[s.first[i]:s.first[i+1]] {
			if s.to[c] == next && s.weight[c] < least {
				least, s.via[u] = s.weight[c], c
			}
		}
		s.weight[s.via[u]] += s.load[u] * s.slow[s.via[u]]
		s.load[next] += s.load[u]
	}
}

// levelOfPair is the service level between LIDs: the lane between their switches.
func (f *fabric) levelOfPair(lane [][]uint8) subnet.PathSL {
	at := f.switchOf()
	return func(src, dst units.LID) units.SL {
		if int(src) >= len(at) || int(dst) >= len(at) || at[src] < 0 || at[dst] < 0 {
			return 0
		}
		return units.SL(lane[at[src]][at[dst]])
	}
}

// nameOf is a switch in words.
func (f *fabric) nameOf(sw int32) string {
	return fmt.Sprintf("%v (%s)", f.sw[sw].guid, f.sub.Nodes[f.tab.Switch[sw]].Name)
}
