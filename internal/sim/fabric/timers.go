package fabric

import "weft/units"

// timer is a time at which a NIC runs a flow.
type timer struct {
	at   units.Time
	flow *flow
}

// before orders by time, among equals by the order of connections, then by queue
// pair number.
func (a *timer) before(b *timer) bool {
	if a.at != b.at {
		return a.at < b.at
	}
	return a.flow.order < b.flow.order || a.flow.order == b.flow.order && a.flow.id < b.flow.id
}

// timers are the times at which a NIC runs its flows: a binary heap, the earliest first. A flow is
// in it at most once and knows its index and its time. So reading the time does not touch the heap,
// and an earlier timer replaces the old one. A paced flow has a timer for each packet, and between
// them its retransmission timer, which is a thousand packets away.
type timers []timer

// set makes the NIC run a flow at an earlier time than before.
func (h *timers) set(f *flow, at units.Time) {
	i := int(f.timer)
	if i < 0 {
		i = len(*h)
		*h = append(*h, timer{})
	}
	f.timerAt = at
	s := *h
	t := timer{at, f}
	for i > 0 {
		parent := (i - 1) / 2
		if !t.before(&s[parent]) {
			break
		}
		s.put(i, s[parent])
		i = parent
	}
	s.put(i, t)
}

// pop removes the first flow; there must be one.
func (h *timers) pop() *flow {
	s := *h
	first, last := s[0].flow, len(s)-1
	t := s[last]
	s[last] = timer{} // clears the reference
	s = s[:last]
	*h = s
	first.timer, first.timerAt = -1, units.Forever
	if last == 0 {
		return first
	}
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
		s.put(i, s[c])
		i = c
	}
	s.put(i, t)
	return first
}

// put stores a timer at an index.
func (h timers) put(i int, t timer) {
	h[i] = t
	t.flow.timer = int32(i)
}
