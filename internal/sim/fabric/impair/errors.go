package impair

import (
	"math/rand/v2"

	"weft/internal/sim/engine"
)

// LinkErrors draws the corrupted packets of a link. It draws at the packet's arrival, in the order of
// arrival, so that the division into partitions does not matter. The zero value corrupts none.
type LinkErrors struct {
	random rand.PCG
	rate   uint64 // of packets, in 2^-64
}

// NewLinkErrors are the errors of a link that corrupts a share of its packets, in 2^-64.
func NewLinkErrors(rate, seed uint64, link int32) LinkErrors {
	return LinkErrors{engine.Stream(seed, streamLinkErrors, uint32(link)), rate}
}

// Corrupts draws whether the next packet is corrupted.
func (e *LinkErrors) Corrupts() bool { return e.rate > 0 && e.random.Uint64() < e.rate }
