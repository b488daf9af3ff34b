package engine

import (
	"sync/atomic"

	"weft/internal/base/cores"
)

// Spare is a pool of unused cores. A simulation that is done gives its cores, and a run with more
// partitions than cores takes them between two windows. A nil Spare is empty.
type Spare struct {
	cores atomic.Int32
	lull  cores.Lull // of all runs
}

// lullOf is the lull of the pool's runs.
func (s *Spare) lullOf() *cores.Lull {
	if s == nil {
		return &cores.Lull{}
	}
	return &s.lull
}

// Give adds a number of cores.
func (s *Spare) Give(n int) {
	if s != nil {
		s.cores.Add(int32(n))
	}
}

// Take takes one core; it is false if there is none.
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
