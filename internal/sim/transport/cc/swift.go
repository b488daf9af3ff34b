package cc

import "weft/units"

// SwiftParams are the parameters of Swift, immutable and shared. Windows are in
// 1/65536 of a packet, fractions in 1/65536.
type SwiftParams struct {
	// Packet is the payload of a full packet.
	Packet units.Bytes
	// BaseTarget is the target delay of a path without switches and with a large
	// window; HopTarget is added for each switch.
	BaseTarget, HopTarget units.Time
	// Increase is ai, what the window grows by in a round trip.
	Increase int64
	// Beta is the factor of a decrease, MaxDecrease the most that one takes.
	Beta, MaxDecrease int64
	// FlowRange is the most that a small window adds to the target. It adds all
	// of it at FlowMin and nothing at FlowMax.
	FlowRange        units.Time
	FlowMin, FlowMax int64
	// MinWindow and MaxWindow bound the window. It starts at the upper bound.
	MinWindow, MaxWindow int64
}

// Swift is Swift (Kumar et al., "Swift: Delay is Simple and Effective for
// Congestion Control in the Datacenter", SIGCOMM 2020, algorithm 1): a window that
// holds the delay at a target, which grows with the path's length and as the
// window shrinks; below one packet it paces.
//
// The delay is the whole round trip. The paper has a second window for the delay
// in the hosts, which weft's adapters do not have, and rules for losses, which are
// the queue pair's affair here. It starts at the largest window, as RDMA's flows
// start at line rate; the paper does not say.
type Swift struct {
	p          *SwiftParams
	window     int64
	decreaseAt units.Time // no decrease before
}

// NewSwift makes the congestion control of one queue pair.
func NewSwift(p *SwiftParams) *Swift { return &Swift{p: p} }

// Start begins at the largest window.
func (s *Swift) Start(_ units.Time, a *Allowance) Wants {
	*s = Swift{p: s.p, window: s.p.MaxWindow}
	*a = Free()
	s.grant(a, s.p.BaseTarget)
	return WantAcks | WantRTT
}

// Window is the window in 1/65536 of a packet.
func (s *Swift) Window() int64 { return s.window }

// Target is the delay that the window aims at, on a path with so many switches.
func (s *Swift) Target(hops int) units.Time {
	p := s.p
	t := p.BaseTarget + units.Time(hops)*p.HopTarget
	small, large := rootOf(p.FlowMin), rootOf(p.FlowMax)
	if small <= large {
		return t
	}
	part := min(max(rootOf(s.window)-large, 0), small-large)
	return t + units.Time(mulDiv(int64(p.FlowRange), part, small-large))
}

// rootOf is 1/√window, in 1/65536.
func rootOf(window int64) int64 { return int64(sqrt(1 << 48 / uint64(window))) }

// Acked moves the window.
func (s *Swift) Acked(now units.Time, ack Ack, a *Allowance) {
	if ack.RTT <= 0 {
		return
	}
	p := s.p
	target := s.Target(ack.Hops)
	switch {
	case ack.RTT < target:
		step := mulDiv(p.Increase, int64(ack.Bytes), int64(p.Packet))
		if s.window >= one {
			step = mulDiv(step, one, s.window)
		}
		s.window += step
	case now >= s.decreaseAt:
		over := min(mulDiv(p.Beta, int64(ack.RTT-target), int64(ack.RTT)), p.MaxDecrease)
		s.window -= mulDiv(s.window, over, one)
		s.decreaseAt = now + ack.RTT
	}
	s.window = min(max(s.window, p.MinWindow), p.MaxWindow)
	s.grant(a, ack.RTT)
}

// grant turns the window into bytes, of which a window below one packet has one
// packet's, sent once in so many round trips.
func (s *Swift) grant(a *Allowance, rtt units.Time) {
	packet := s.p.Packet
	if s.window >= one {
		a.Rate = 0
		a.Window = packet * units.Bytes(s.window/one)
		return
	}
	a.Window = 1
	a.Rate = max(1, units.Rate(mulDiv(int64(rateOf(packet, rtt)), s.window, one)))
}

// Notified does nothing: Swift does not look at marks.
func (s *Swift) Notified(units.Time, *Allowance) {}

// Sent does not happen: the budget is unlimited.
func (s *Swift) Sent(units.Time, *Allowance) {}

// Timer does not happen: Swift has none.
func (s *Swift) Timer(units.Time, *Allowance) {}
