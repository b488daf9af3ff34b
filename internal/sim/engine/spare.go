package engine

import "sync/atomic"

// Spare is cores that nobody uses. Who is done with some gives them, and a run with
// more partitions than cores takes them between two of its windows. Nil has none.
type Spare struct{ cores atomic.Int32 }

// Give adds so many cores.
func (s *Spare) Give(n int) {
	if s != nil {
		s.cores.Add(int32(n))
	}
}

// Take takes one; false where there is none.
func (s *Spare) Take() bool {
	if s == nil {
		return false
	}
	for n := s.cores.Load(); n > 0; n = s.cores.Load() {
		if s.cores.CompareAndSwap(n, n-1) {
			return true
		}
	}
	return false
}
