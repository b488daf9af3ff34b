package sim

import (
	"weft/internal/engine"
	"weft/internal/fabric"
	"weft/units"
)

// timer is something that a rank does later.
type timer struct {
	at       units.Time
	order    uint64 // of being scheduled: among equals the first
	transfer transfer
	tag      uint64
	kind     timerKind
}

type timerKind uint8

const (
	timerBegin  timerKind = iota // an operation or a message; tag says which
	timerStep                    // the software time of a step has passed; tag is its operation and lane
	timerPost                    // a piece reaches the NIC
	timerArrive                  // a message is in memory
	timerRepost                  // a receive is posted again
	timerOver                    // a computation is over; tag is its number in the rank's list
)

// timers is a heap of a rank's timers, earliest first.
type timers struct {
	heap  engine.Heap[timer, *timer]
	order uint64
	next  units.Time // the earliest event asked for; 0 if none
}

// Before orders by time, among equals by when they were scheduled.
func (a *timer) Before(b *timer) bool {
	return a.at < b.at || a.at == b.at && a.order < b.order
}

// schedule has the owner of the timers do something later than now: at least a
// picosecond, so that nothing happens between two of one instant's events.
// source is the owner's number as the application of the network.
func (h *timers) schedule(p *fabric.Partition, source uint32, at units.Time, t timer) {
	t.at = max(at, p.Now()+1)
	t.order = h.order
	h.order++
	h.heap.Push(t)
	h.arm(p, source)
}

// arm asks for the event of the earliest timer.
func (h *timers) arm(p *fabric.Partition, source uint32) {
	if len(h.heap) == 0 {
		return
	}
	if at := h.heap[0].at; h.next == 0 || at < h.next {
		h.next = at
		p.At(at, source)
	}
}

// run does what is due. An event that an earlier one has overtaken finds nothing
// to do.
func (h *timers) run(p *fabric.Partition, source uint32, do func(*timer)) {
	for len(h.heap) > 0 && h.heap[0].at <= p.Now() {
		t := h.heap.Pop()
		do(&t)
	}
	if h.next == p.Now() { // only now: what is scheduled meanwhile asks for no event of its own
		h.next = 0
	}
	h.arm(p, source)
}

// transfer is a message on its way through the host.
type transfer struct {
	nic   int32
	end   units.QPN
	peer  units.QPN // of a pattern
	tag   uint32
	bytes int64
}
