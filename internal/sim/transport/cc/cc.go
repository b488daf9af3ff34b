package cc

import (
	"math"

	"weft/units"
)

// Unlimited is the amount of an Allowance that never runs out.
const Unlimited units.Bytes = math.MaxInt64

// Allowance is an algorithm's grant to its queue pair. The queue pair owns it, so that it reads the
// numbers for every packet without a call.
type Allowance struct {
	// Rate paces data on the wire; 0 is unpaced.
	Rate units.Rate
	// Window bounds the bytes of payload in flight: one more packet may go as
	// long as fewer are; Unlimited is no bound.
	Window units.Bytes
	// Budget counts down by the payload of each data packet; when it has
	// reached zero, Sent is called. Unlimited is never.
	Budget units.Bytes
	// Wake is the time at which Timer must be called; units.Forever is never. It comes last because
	// sending and acknowledging a packet do not touch it.
	Wake units.Time
}

// Free is the allowance of a queue pair without congestion control.
func Free() Allowance {
	return Allowance{Window: Unlimited, Wake: units.Forever, Budget: Unlimited}
}

// Ack is the content of one acknowledgement.
type Ack struct {
	Bytes  units.Bytes // payload that it acknowledged for the first time
	Flight units.Bytes // payload still in flight
	Marked bool        // it echoes a congestion mark
	// Lost is payload that the queue pair now counts as lost; it is no longer in flight. With
	// Trimmed a switch has cut it off because its queue was full.
	Lost    units.Bytes
	Trimmed bool
	// RTT is the time from the sending of the packet that caused it until now; 0 if it is unknown
	// or not requested.
	RTT units.Time
	// Hops is the number of switches on that packet's path.
	Hops int
	// Path is the packet's telemetry; nil if not requested. It is the caller's: an algorithm must
	// copy it to keep it.
	Path *Path
}

// Wants is the information that an algorithm needs from acknowledgements.
type Wants uint8

// The kinds of information. The round trip and the path include acknowledgements.
const (
	WantAcks Wants = 1 << iota
	WantRTT        // Ack.RTT and Ack.Hops
	WantPath       // Ack.Path
	// WantEntropy belongs to no algorithm: a queue pair of unordered delivery sets it,
	// since each of its packets chooses a path.
	WantEntropy
)

// MaxHops is the number of switches whose telemetry fits into a packet: as in the header of HPCC,
// and enough for a tree of three levels. Further switches add nothing.
const MaxHops = 5

// Hop is a switch's telemetry, written when the packet leaves.
type Hop struct {
	At    units.Time  // the switch's time
	Sent  units.Bytes // bytes that the port has sent before, as on the wire
	Queue units.Bytes // bytes in the port's queue behind it
	Rate  units.Rate  // the port's
}

// Path is the telemetry of a packet's path.
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

// Seen is a packet's telemetry at its receiver, which the acknowledgement returns.
type Seen struct {
	Sent units.Time // begin of its transmission
	Hops int
	Path *Path // nil if not requested
}

// Algorithm is the congestion control of one queue pair. Each call may change
// any field of the allowance. A nil Algorithm is none at all: the line rate,
// no window.
type Algorithm interface {
	// Start sets the first allowance and returns the information that Acked needs; 0 means that
	// Acked is not called.
	Start(now units.Time, a *Allowance) Wants
	// Notified handles a congestion notification: a CNP, a BECN, a marked acknowledgement.
	Notified(now units.Time, a *Allowance)
	// Acked handles an acknowledgement. It is called only if Start requested it.
	Acked(now units.Time, ack Ack, a *Allowance)
	// Sent is called when the budget is used up.
	Sent(now units.Time, a *Allowance)
	// Timer is called when now has reached a.Wake.
	Timer(now units.Time, a *Allowance)
}
