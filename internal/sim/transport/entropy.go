package transport

// entropy chooses the entropy value of each packet of an unordered queue pair: the
// values in turn, or, if values are recycled, first the values that have come back
// unmarked, oldest first, each once for each time that it came back (UET
// specification 1.0, 3.6.16.3 and 3.6.16.4; REPS: Bonato et al., "REPS: Recycled
// Entropy Packet Spraying for Adaptive Load Balancing and Failure Mitigation",
// 2024). A value that is marked, trimmed or lost does not come back, so its path is
// left alone until its turn. REPS's freezing after timeouts is left out.
//
// The order of the values is not pseudo-random, but their paths are: switches hash a
// value together with the flow's addresses.
type entropy struct {
	good  [8]uint8 // a ring; the specification suggests eight
	first uint8
	n     uint8
	turn  uint8
}

// next is the value of the next packet, from the given number of values.
func (e *entropy) next(values int) uint8 {
	if e.n > 0 {
		ev := e.good[e.first]
		e.first = (e.first + 1) % uint8(len(e.good))
		e.n--
		return ev
	}
	ev := e.turn
	if e.turn++; int(e.turn) == values { // of 256 values it wraps by itself
		e.turn = 0
	}
	return ev
}

// recycle keeps a value that has come back unmarked; if there is no room, it replaces the oldest.
func (e *entropy) recycle(ev uint8) {
	size := uint8(len(e.good))
	e.good[(e.first+e.n)%size] = ev
	if e.n < size {
		e.n++
		return
	}
	e.first = (e.first + 1) % size
}

// forget drops the kept values: after a timeout they are not trusted.
func (e *entropy) forget() { e.n = 0 }
