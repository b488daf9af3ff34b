package engine

import "weft/units"

// farEvent is an event beyond the reach of the wheel: retransmission timers,
// the start of a flow.
type farEvent struct {
	time   units.Time
	class  Class
	source uint64
}

// Before orders as the wheel does: by time, class, source.
func (a *farEvent) Before(b *farEvent) bool {
	if a.time != b.time {
		return a.time < b.time
	}
	if a.class != b.class {
		return a.class < b.class
	}
	return a.source < b.source
}
