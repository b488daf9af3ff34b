// Package cc holds the congestion control of queue pairs: one algorithm per
// file behind one small interface.
//
// An algorithm is told what happened and writes into an Allowance what its
// queue pair may do next. It holds no clock and no timer: it names the time at
// which it wants to be called again. Nothing here is a float: rates are
// integers in bits per second, fractions are fixed point, so that every
// processor computes the same run.
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
	// Wake is when Timer wants to be called; units.Forever is never.
	Wake units.Time
	// Budget counts down by the payload of each data packet; when it has
	// reached zero, Sent is called. Unlimited is never.
	Budget units.Bytes
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
}

// Algorithm is the congestion control of one queue pair. Each call may change
// any field of the allowance. A nil Algorithm is none at all: the line rate,
// no window.
type Algorithm interface {
	// Start sets the first allowance and says whether Acked is to be called.
	Start(now units.Time, a *Allowance) (wantsAcks bool)
	// Notified takes a congestion notification: a CNP, a BECN, a marked ack.
	Notified(now units.Time, a *Allowance)
	// Acked takes an acknowledgement. It is called only if Start asked for it.
	Acked(now units.Time, ack Ack, a *Allowance)
	// Sent tells that the budget has run out.
	Sent(now units.Time, a *Allowance)
	// Timer tells that now has reached a.Wake.
	Timer(now units.Time, a *Allowance)
}
