package host

import (
	"slices"

	"weft/internal/sim/state"
)

// Walk visits the timers in their order, in which they remain a heap: those that move do so by the same
// time, and stay before the others. tag visits a timer's tag.
func (h *Timers) Walk(w *state.Walk, tag func(*Timer)) {
	w.Due(&h.next)
	w.Due(&h.later)
	w.Word(uint64(len(h.heap)))
	slices.SortFunc(h.heap, func(a, b Timer) int {
		if a.Before(&b) {
			return -1
		}
		return 1
	})
	for i := range h.heap {
		t := &h.heap[i]
		w.Due(&t.at)
		w.Word(uint64(t.Kind))
		w.Visit(&t.Transfer)
		tag(t)
	}
}

// WalkState visits the times until which the cores are busy.
func (c *Cores) WalkState(w *state.Walk) {
	for i := range c.free {
		w.Until(&c.free[i])
	}
}
