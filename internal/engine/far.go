package engine

import "weft/units"

// farEvent is an event beyond the reach of the wheel: retransmission timers,
// the start of a flow.
type farEvent struct {
	time   units.Time
	class  Class
	source uint32
}

func (a *farEvent) before(b *farEvent) bool {
	if a.time != b.time {
		return a.time < b.time
	}
	if a.class != b.class {
		return a.class < b.class
	}
	return a.source < b.source
}

// farHeap is a binary heap, earliest first.
type farHeap []farEvent

func (h *farHeap) push(e farEvent) {
	s := append(*h, e)
	i := len(s) - 1
	for i > 0 {
		p := (i - 1) / 2
		if !e.before(&s[p]) {
			break
		}
		s[i] = s[p]
		i = p
	}
	s[i] = e
	*h = s
}

func (h *farHeap) pop() {
	s := *h
	last := len(s) - 1
	e := s[last]
	s = s[:last]
	i := 0
	for {
		c := 2*i + 1
		if c >= last {
			break
		}
		if c+1 < last && s[c+1].before(&s[c]) {
			c++
		}
		if !s[c].before(&e) {
			break
		}
		s[i] = s[c]
		i = c
	}
	if last > 0 {
		s[i] = e
	}
	*h = s
}
