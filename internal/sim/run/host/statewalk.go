package host

import (
	"slices"

	"weft/internal/sim/state"
)

// Walk visits the timers in their order. tag visits a timer's tag.
func (h *Timers) Walk(w *state.Walk, tag func(*Timer)) {
	w.Time(&h.next)
	visit := func(t *Timer) {
		w.Time(&t.at)
		w.Word(uint64(t.Kind))
		w.Visit(&t.Transfer)
		tag(t)
	}
	if _, _, moving := w.Moves(); moving { // all by the same time: the heap remains one
		for i := range h.heap {
			visit(&h.heap[i])
		}
		return
	}
	w.Word(uint64(len(h.heap)))
	sorted := slices.Clone(h.heap)
	slices.SortFunc(sorted, func(a, b Timer) int {
		if a.Before(&b) {
			return -1
		}
		return 1
	})
	for i := range sorted {
		visit(&sorted[i])
	}
}

// WalkState visits the times until which the cores are busy.
func (c *Cores) WalkState(w *state.Walk) {
	for i := range c.free {
		w.Until(&c.free[i])
	}
}
