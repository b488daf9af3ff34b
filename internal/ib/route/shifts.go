package route

import (
	"slices"

	"weft/internal/ib/subnet"
)

// maxShifts is the number of shifts for judging routes during refinement.
const maxShifts = 64

// shifts is the traffic patterns for judging routes: each end sends to the end at a fixed distance
// behind it in the order of node names, which is the order of a job's ranks.
type shifts struct {
	s     *spanner
	order []int32 // ends
	lid   []int   // by end: LID of its tree
	by    []int   // distances
	flows []int32 // by channel, each with its weight
	used  []int32 // channels with flows
}

// newShifts prepares shifts over trees: an end has its own tree, or the tree of its switch.
func (s *spanner) newShifts(roots []grown) *shifts {
	f := s.f
	x := &shifts{s: s, flows: make([]int32, len(s.to)), lid: make([]int, len(f.ends))}
	own := make([]bool, int(f.tab.Top)+1)
	for i := range roots {
		own[roots[i].lid] = true
	}
	for i := range f.ends {
		e := &f.ends[i]
		if e.sw < 0 {
			continue
		}
		x.order = append(x.order, int32(i))
		if x.lid[i] = int(e.lid); !own[x.lid[i]] {
			x.lid[i] = int(f.sw[e.sw].lid)
		}
	}
	slices.SortFunc(x.order, func(a, b int32) int {
		p, q := f.ends[a].at, f.ends[b].at
		if c := subnet.CompareNames(f.sub.Nodes[p.Node].Name, f.sub.Nodes[q.Node].Name); c != 0 {
			return c
		}
		return int(f.ends[a].lid) - int(f.ends[b].lid)
	})
	distances := len(x.order) - 1
	for i := range min(distances, maxShifts) {
		x.by = append(x.by, 1+i*distances/min(distances, maxShifts))
	}
	return x
}

// contention is the sum over shifts of the most flows on a cable, at least 1.
func (x *shifts) contention() int64 {
	sum := int64(1)
	for _, k := range x.by {
		most := int32(0)
		for i, src := range x.order {
			most = max(most, x.flow(src, x.order[(i+k)%len(x.order)]))
		}
		for _, c := range x.used {
			x.flows[c] = 0
		}
		x.used = x.used[:0]
		sum += int64(most)
	}
	return sum
}

// flow adds the path between two ends, and returns the most flows on any of its
// cables.
func (x *shifts) flow(src, dst int32) int32 {
	f, most := x.s.f, int32(0)
	root, lid := f.ends[dst].sw, x.lid[dst]
	for u := f.ends[src].sw; u != root; {
		port := f.tab.LFT[u][lid]
		if port == subnet.NoPort {
			return most
		}
		c := int32(f.base[u] + int(port))
		if x.flows[c] == 0 {
			x.used = append(x.used, c)
		}
		x.flows[c] += int32(x.s.slow[c])
		most = max(most, x.flows[c])
		u = x.s.to[c]
	}
	return most
}
