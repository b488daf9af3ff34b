package fabric

import "weft/units"

// ring is a queue of flows.
type ring struct {
	slots []*flow // a power of two
	head  uint32
	n     uint32
}

func (r *ring) push(f *flow) {
	if int(r.n) == len(r.slots) {
		bigger := make([]*flow, max(4, 2*len(r.slots)))
		for i := range r.n {
			bigger[i] = r.slots[(r.head+i)&uint32(len(r.slots)-1)]
		}
		r.slots, r.head = bigger, 0
	}
	r.slots[(r.head+r.n)&uint32(len(r.slots)-1)] = f
	r.n++
}

func (r *ring) pop() *flow {
	f := r.slots[r.head&uint32(len(r.slots)-1)]
	r.head++
	r.n--
	return f
}

// timer is a time at which a NIC looks at a flow.
type timer struct {
	at   units.Time
	flow *flow
}

// timerHeap is a binary heap, earliest first; among equals the flow with the
// lower queue pair number.
type timerHeap []timer

func (a *timer) before(b *timer) bool {
	return a.at < b.at || a.at == b.at && a.flow.id < b.flow.id
}

func (h *timerHeap) push(t timer) {
	s := append(*h, t)
	i := len(s) - 1
	for i > 0 && t.before(&s[(i-1)/2]) {
		s[i] = s[(i-1)/2]
		i = (i - 1) / 2
	}
	s[i] = t
	*h = s
}

func (h *timerHeap) pop() {
	s := *h
	last := len(s) - 1
	t := s[last]
	s[last].flow = nil
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
		if !s[c].before(&t) {
			break
		}
		s[i] = s[c]
		i = c
	}
	if last > 0 {
		s[i] = t
	}
	*h = s
}
