package route

// layer is the channel dependency graph of the paths on one lane: for each channel and each port of
// the switch at its end, the number of paths through both. The port is part of the edge's number:
// channel*stride+port.
type layer struct {
	s      *spanner
	stride int
	paths  []int64
}

func newLayer(s *spanner) *layer {
	l := &layer{s: s, stride: 1}
	for i := range s.f.sw {
		l.stride = max(l.stride, len(s.f.sw[i].ports))
	}
	l.paths = make([]int64, len(s.to)*l.stride)
	return l
}

// edge is the number of the dependency of channel c on the channel at a port of c's far switch.
func (l *layer) edge(c int32, port uint8) int { return int(c)*l.stride + int(port) }

// target is the channel that an edge leads to.
func (l *layer) target(edge int) int32 {
	return int32(l.s.f.base[l.s.to[edge/l.stride]] + edge%l.stride)
}

// walk calls visit with each dependency of the path from a switch to a LID.
// The tables must have that path.
func (l *layer) walk(src int32, lid int, root int32, visit func(edge int)) {
	lft, base := l.s.f.tab.LFT, l.s.f.base
	c := int32(base[src] + int(lft[src][lid]))
	for u := l.s.to[c]; u != root; u = l.s.to[c] {
		p := lft[u][lid]
		visit(l.edge(c, p))
		c = int32(base[u] + int(p))
	}
}
