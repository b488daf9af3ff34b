package socket

import "weft/units"

// timers is a binary heap of endpoints by deadline. The stored deadline may be earlier than the
// queue pair's own, which can move back without notice: it then fires for nothing and is set again.
type timers []*Endpoint

// next is the earliest deadline, or units.Forever.
func (h timers) next() units.Time {
	if len(h) == 0 {
		return units.Forever
	}
	return h[0].deadline
}

// set sets e's deadline to at, unless it has an earlier one.
func (h *timers) set(e *Endpoint, at units.Time) {
	switch {
	case at == units.Forever:
	case e.timer == 0:
		e.deadline = at
		*h = append(*h, e)
		e.timer = len(*h)
		h.up(e.timer - 1)
	case at < e.deadline:
		e.deadline = at
		h.up(e.timer - 1)
	}
}

// remove removes e, if it is there.
func (h *timers) remove(e *Endpoint) {
	if e.timer == 0 {
		return
	}
	i, last := e.timer-1, len(*h)-1
	h.swap(i, last)
	(*h)[last] = nil
	*h = (*h)[:last]
	e.timer = 0
	if i < last {
		h.up(i)
		h.down(i)
	}
}

func (h timers) swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].timer, h[j].timer = i+1, j+1
}

func (h timers) up(i int) {
	for i > 0 {
		parent := (i - 1) / 2
		if h[parent].deadline <= h[i].deadline {
			return
		}
		h.swap(parent, i)
		i = parent
	}
}

func (h timers) down(i int) {
	for {
		child := 2*i + 1
		if child >= len(h) {
			return
		}
		if child+1 < len(h) && h[child+1].deadline < h[child].deadline {
			child++
		}
		if h[i].deadline <= h[child].deadline {
			return
		}
		h.swap(i, child)
		i = child
	}
}
