package route

// wayOut is a spanning tree of each part of the fabric, whose paths never turn back and so have no circle.
type wayOut struct {
	s     *spanner
	cable [][]int32 // by switch: channels of the tree that leave it
	part  []int32   // by switch: the number of its part
	size  []int     // by part: switches in it
}

// newWayOut grows the tree of each part from the switch with the least hops to the farthest one.
func newWayOut(s *spanner) *wayOut {
	w := &wayOut{s: s, cable: make([][]int32, len(s.f.sw)), part: make([]int32, len(s.f.sw))}
	for i := range w.part {
		w.part[i] = -1
	}
	for _, sw := range s.f.order {
		if w.part[sw] >= 0 {
			continue
		}
		s.aim(sw)
		members := append([]int32(nil), s.order...)
		best, least := sw, len(s.f.sw)+1
		for _, u := range members {
			s.aim(u)
			if far := int(s.hops[s.order[len(s.order)-1]]); far < least {
				best, least = u, far
			}
			w.part[u] = int32(len(w.size))
		}
		w.size = append(w.size, len(members))
		s.aim(best)
		for i, u := range s.order[1:] {
			c := s.choices[s.first[i+1]] // the lowest port of a shortest path
			v := s.to[c]
			w.cable[u] = append(w.cable[u], c)
			w.cable[v] = append(w.cable[v], int32(s.f.base[v]+int(s.in[c])))
		}
	}
	return w
}

// each calls visit with each dependency between cables of the trees: a channel, and the port of its far switch.
func (w *wayOut) each(visit func(channel int32, port uint8)) {
	for _, channels := range w.cable {
		for _, c := range channels {
			v := w.s.to[c]
			for _, next := range w.cable[v] {
				if next != int32(w.s.f.base[v]+int(w.s.in[c])) {
					visit(c, uint8(int(next)-w.s.f.base[v]))
				}
			}
		}
	}
}

// towards makes the paths to a switch those of its tree.
func (w *wayOut) towards(root int32) {
	s := w.s
	for i := range s.via {
		s.via[i] = -1
	}
	s.order = append(s.order[:0], root)
	for head := 0; head < len(s.order); head++ {
		v := s.order[head]
		for _, c := range w.cable[v] {
			if u := s.to[c]; u != root && s.via[u] < 0 {
				s.via[u] = int32(s.f.base[u] + int(s.in[c]))
				s.order = append(s.order, u)
			}
		}
	}
}
