package network

import "sync/atomic"

// Work counts the work of a task that is done while it runs. A nil Work counts nothing.
type Work struct{ done, all atomic.Int64 }

// Expect adds so many pieces of work.
func (w *Work) Expect(n int64) {
	if w != nil {
		w.all.Add(n)
	}
}

// Done counts so many pieces. Simulation partitions may call it at the same time.
func (w *Work) Done(n int64) {
	if w != nil {
		w.done.Add(n)
	}
}

// Share is the part of the work that is done, from 0 to 1; 0 if it is not known.
func (w *Work) Share() float64 {
	if w == nil {
		return 0
	}
	return float64(w.done.Load()) / float64(max(1, w.all.Load()))
}
