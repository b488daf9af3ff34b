package fabric

import "weft/units"

// timer is a time at which a NIC looks at a flow.
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

// timers are when a NIC looks at its flows: a binary heap, the earliest first. A flow is
// in it once at most and knows its place and its time, so that asking when touches no
// heap, and a timer that is brought forward leaves nothing behind: a paced flow has one for
// each packet, and between them that of its retransmission, which is a thousand packets
// away.
type timers []timer

// set has the NIC look at a flow at a time earlier than it would otherwise.
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

// pop takes the flow that is first, of which there must be one.
func (h *timers) pop() *flow {
	s := *h
	first, last := s[0].flow, len(s)-1
	t := s[last]
	s[last] = timer{} // holds on to nothing
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

// put has a timer at a place.
func (h timers) put(i int, t timer) {
	h[i] = t
	t.flow.timer = int32(i)
}
