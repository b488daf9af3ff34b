package host

import (
	"weft/internal/sim/engine"
	"weft/internal/sim/fabric"
	"weft/units"
)

// Timer is a later action of a rank.
type Timer struct {
	at       units.Time
	order    uint64 // order of scheduling: among equal times, the first is first
	Transfer Transfer
	Tag      uint64
	Kind     TimerKind
}

// TimerKind is the kind of the action.
type TimerKind uint8

// The kinds.
const (
	TimerBegin   TimerKind = iota // an operation or a message begins; tag is its number
	TimerStep                     // the software time of a step has passed; tag is its operation and lane
	TimerWritten                  // the kernel has written the message of a connection
	TimerPost                     // a piece reaches the NIC
	TimerArrive                   // a message is in memory
	TimerRepost                   // a receive is posted again
	TimerOver                     // a computation is over; tag is its number in the rank's list, and its end's turn above 32 bits
)

// Timers is a heap of a rank's timers, earliest first.
type Timers struct {
	heap  engine.Heap[Timer, *Timer]
	order uint64
	next  units.Time // the earliest requested event; 0 if none
	later units.Time // a requested event after next; 0 if none
}

// Before orders by time, then by the order of scheduling.
func (a *Timer) Before(b *Timer) bool {
	return a.at < b.at || a.at == b.at && a.order < b.order
}

// Schedule schedules an action of the timers' owner later than now: by at least a picosecond, so
// that no action falls between two events of the same instant. source is the owner's number as the
// application of the network.
func (h *Timers) Schedule(p *fabric.Partition, source uint32, at units.Time, t Timer) {
	t.at = max(at, p.Now()+1)
	t.order = h.order
	h.order++
	h.heap.Push(t)
	h.arm(p, source)
}

// arm requests the event of the earliest timer.
func (h *Timers) arm(p *fabric.Partition, source uint32) {
	if len(h.heap) == 0 {
		return
	}
	at := h.heap[0].at
	if h.next != 0 && at >= h.next {
		return
	}
	if h.later == at { // else a timer that is far away would get an event more for each near one
		h.next, h.later = at, 0
		return
	}
	if h.later == 0 || h.next != 0 && h.next < h.later {
		h.later = h.next
	}
	h.next = at
	p.At(at, source)
}

// Run runs the actions that are due. If an earlier event has run them already, it does nothing.
func (h *Timers) Run(p *fabric.Partition, source uint32, do func(*Timer)) {
	for len(h.heap) > 0 && h.heap[0].at <= p.Now() {
		t := h.heap.Pop()
		do(&t)
	}
	if h.later == p.Now() {
		h.later = 0
	}
	if h.next == p.Now() { // only now: actions scheduled meanwhile request no event of their own
		h.next = 0
	}
	h.arm(p, source)
}

// Transfer is a message on its path through the host.
type Transfer struct {
	NIC   int32
	End   units.QPN
	Peer  units.QPN // of a pattern
	Tag   uint32
	Bytes int64
	To    int32 // in a stream: the NIC that gets the result, or whose data is copied
	More  bool  // the message continues for another NIC
	// Silent posts a WRITE of which the receiver's host learns nothing.
	Silent bool
}
