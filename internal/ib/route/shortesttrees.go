package route

import "math"

// spanner computes trees of shortest paths towards switches. From each switch the tree has the
// shortest path with the least sum of cable weights. The paths of a tree then add to the weights of
// their cables. This is Dijkstra's search with hops as the first digit, without its heap: for every
// tree towards one switch, the order of switches by hops and the cables of shortest paths are the
// same.
type spanner struct {
	f       *fabric
	to      []int32 // by channel (the sending side of a port, numbered as in fabric.base): far switch, -1 for none
	in      []uint8 // by channel: far port
	at      []int32 // by channel: its own switch
	ends    []int64 // by switch: LIDs of its ends, the weight of a path from it
	weight  []int64 // by channel
	slow    []int64 // by channel: the weight of a path on it
	order   []int32 // switches that reach the root, nearest first
	hops    []uint8
	first   []int32 // by place in order: index of its first choice
	choices []int32 // channels
	cost    []int64 // by switch: weight of the path to the root
	via     []int32 // by switch: channel towards the root, -1 at the root and without a path
	place   []int32 // by switch: its place in order
	chosen  []bool  // by switch, for settle
	load    []int64 // paths that leave each switch towards the root
}

func newSpanner(f *fabric) *spanner {
	n, channels := len(f.sw), f.base[len(f.sw)]
	s := &spanner{
		f: f, to: make([]int32, channels), in: make([]uint8, channels), at: make([]int32, channels),
		weight: make([]int64, channels), slow: f.slow, ends: make([]int64, n), hops: make([]uint8, n),
		cost: make([]int64, n), via: make([]int32, n), load: make([]int64, n),
		place: make([]int32, n), chosen: make([]bool, n),
	}
	for i := range f.sw {
		for p, l := range f.sw[i].ports {
			c := f.base[i] + p
			s.to[c], s.in[c], s.at[c] = l.sw, l.port, int32(i)
			if l.end >= 0 {
				s.ends[i]++
			}
		}
	}
	s.unload()
	return s
}

// unload takes all paths off the cables. Of cables without paths the fastest is the lightest.
func (s *spanner) unload() {
	clear(s.weight)
	if s.f.mixed {
		copy(s.weight, s.slow)
	}
}

// aim finds the shortest paths towards a switch.
func (s *spanner) aim(root int32) {
	for i := range s.hops {
		s.hops[i], s.via[i], s.load[i] = noPath, -1, 0
	}
	s.hops[root] = 0
	s.order, s.choices, s.first = append(s.order[:0], root), s.choices[:0], append(s.first[:0], 0)
	for head := 0; head < len(s.order); head++ {
		u := s.order[head]
		s.place[u] = int32(head)
		near := s.hops[u]
		for c := s.f.base[u]; c < s.f.base[u+1]; c++ {
			v := s.to[c]
			switch {
			case v < 0:
			case s.hops[v] == noPath:
				if near < noPath-1 {
					s.hops[v] = near + 1
					s.order = append(s.order, v)
				}
			case s.hops[v] < near:
				s.choices = append(s.choices, int32(c))
			}
		}
		s.first = append(s.first, int32(len(s.choices)))
	}
}

// grow chooses each switch's path to the root of aim: the lightest, with ties to the lowest port.
func (s *spanner) grow() {
	s.cost[s.order[0]] = 0
	for i, u := range s.order {
		if i == 0 {
			continue
		}
		least := int64(math.MaxInt64)
		for _, c := range s.choices[s.first[i]:s.first[i+1]] {
			if w := s.weight[c] + s.cost[s.to[c]]; w < least {
				least, s.via[u] = w, c
			}
		}
		s.cost[u] = least
	}
}

// charge adds the paths of the tree to the weights; each path counts as many as times.
func (s *spanner) charge(times int64) {
	for _, u := range s.order {
		s.load[u] = s.ends[u]
	}
	for i := len(s.order) - 1; i > 0; i-- {
		u := s.order[i]
		paths := s.load[u]
		if paths == 0 {
			continue
		}
		s.weight[s.via[u]] += paths * times * s.slow[s.via[u]]
		s.load[s.to[s.via[u]]] += paths
	}
}

// write enters the tree for the LID at a port of the root into the tables.
func (s *spanner) write(lid int, port uint8) {
	for i, u := range s.order {
		if i == 0 {
			s.f.tab.LFT[u][lid] = port
		} else {
			s.f.tab.LFT[u][lid] = uint8(int(s.via[u]) - s.f.base[u])
		}
	}
}
