package cc

import (
	"math"

	"weft/units"
)

// Unlimited is the amount of an Allowance that never runs out.
const Unlimited units.Bytes = math.MaxInt64

// Allowance is what an algorithm grants its queue pair. The queue pair owns it,
// so that it reads the numbers of every packet without a call.
type Allowance struct {
	// Rate paces data on the wire; 0 is unpaced.
	Rate units.Rate
	// Window bounds the bytes of payload in flight: one more packet may go as
	// long as fewer are; Unlimited is no bound.
	Window units.Bytes
	// Budget counts down by the payload of each data packet; when it has
	// reached zero, Sent is called. Unlimited is never.
	Budget units.Bytes
	// Wake is when Timer wants to be called; units.Forever is never. It comes last
	// because sending and acknowledging a packet do not touch it.
	Wake units.Time
}

// Free is the allowance of a queue pair without congestion control.
func Free() Allowance {
	return Allowance{Window: Unlimited, Wake: units.Forever, Budget: Unlimited}
}

// Ack is what one acknowledgement says.
type Ack struct {
	Bytes  units.Bytes // payload that it acknowledged for the first time
	Flight units.Bytes // payload still in flight
	Marked bool        // it echoes a congestion mark
	// Lost is payload that the queue pair takes for lost from here on; it is no
	// longer in flight. With Trimmed a switch has cut it off for want of room.
	Lost    units.Bytes
	Trimmed bool
	// RTT is from the sending of the packet that drew it until now; 0 where that
	// is not known, or nobody wants it.
	RTT units.Time
	// Hops is how many switches that packet went through.
	Hops int
	// Path is what it gathered there; nil where nobody wants it. It is the
	// caller's: what is to be kept must be copied.
	Path *Path
}

// Wants says what an algorithm wants to know of acknowledgements.
type Wants uint8

// What an algorithm may want. Who wants the round trip or the path wants
// acknowledgements, too.
const (
	WantAcks Wants = 1 << iota
	WantRTT        // Ack.RTT and Ack.Hops
	WantPath       // Ack.Path
	// WantEntropy is no algorithm's: a queue pair of unordered delivery has it, whose
	// packets each choose their path.
	WantEntropy
)

// MaxHops is how many switches the telemetry in a packet has room for: as many as
// the header of HPCC has, and a tree of three levels needs. Further ones add
// nothing.
const MaxHops = 5

// Hop is what a switch writes into a packet that asks for telemetry, when the
// packet leaves.
type Hop struct {
	At    units.Time  // the switch's time
	Sent  units.Bytes // what the port has sent before, in bytes on the wire
	Queue units.Bytes // what waits at the port behind it
	Rate  units.Rate  // the port's
}

// Path is what a packet gathered on its way.
type Path struct {
	Hop [MaxHops]Hop
	N   int
}

// Add writes one more hop, if there is room.
func (p *Path) Add(h Hop) {
	if p.N < MaxHops {
		p.Hop[p.N] = h
		p.N++
	}
}

// Seen is what a packet that reports on its way brings to its end, and what the
// acknowledgement that it draws takes back.
type Seen struct {
	Sent units.Time // when its sender began to put it on the wire
	Hops int
	Path *Path // nil where it was not asked for
}

// Algorithm is the congestion control of one queue pair. Each call may change
// any field of the allowance. A nil Algorithm is none at all: the line rate,
// no window.
type Algorithm interface {
	// Start sets the first allowance and says what Acked is to be told; 0 is
	// that it is not to be called.
	Start(now units.Time, a *Allowance) Wants
	// Notified takes a congestion notification: a CNP, a BECN, a marked ack.
	Notified(now units.Time, a *Allowance)
	// Acked takes an acknowledgement. It is called only if Start wants it.
	Acked(now units.Time, ack Ack, a *Allowance)
	// Sent tells that the budget has run out.
	Sent(now units.Time, a *Allowance)
	// Timer tells that now has reached a.Wake.
	Timer(now units.Time, a *Allowance)
}
