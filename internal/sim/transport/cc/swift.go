package cc

import "weft/units"

// maxWindow bounds Swift's windows: a million packets are more than a queue pair
// may have in flight.
const maxWindow = 1 << 20

var _ = Register(Control{
	Name: "swift",
	Parameters: []Parameter{
		{Name: "beta", Doc: "The factor of a decrease.", Default: units.Ratio{}},
		{Name: "base-target", Doc: "The round trip that Swift aims at without switches.", Default: units.Time(0), Range: "1ns..1s"},
		{Name: "hop-target", Doc: "The addition of each switch to Swift's target.", Default: units.Time(0), Range: "0..1s"},
		{Name: "increase", Doc: "The growth of Swift's window in a round trip, in packets.", Default: units.Ratio{}},
		{Name: "max-decrease", Doc: "The largest share of the window that one decrease takes.", Default: units.Ratio{}},
		{Name: "flow-range", Doc: "The largest addition of a small window to Swift's target.", Default: units.Time(0), Range: "0..1s"},
		{Name: "flow-min-window", Doc: "The window, in packets, at which it adds all of flow-range.", Default: units.Ratio{}},
		{Name: "flow-max-window", Doc: "The window, in packets, from which on it adds nothing.", Default: units.Ratio{}},
		{Name: "min-window", Doc: "Swift's least window, in packets.", Default: units.Ratio{}},
		{Name: "max-window", Doc: "Swift's largest window, with which it starts, in packets.", Default: units.Ratio{}},
	},
	Check: checkSwift,
	New: func(l Link, v Values) func() Algorithm {
		p := &SwiftParams{
			Packet: l.Packet, BaseTarget: v.Time("base-target"), HopTarget: v.Time("hop-target"),
			Increase: inPackets(v.Ratio("increase")), Beta: v.Fraction("beta"), MaxDecrease: v.Fraction("max-decrease"),
			FlowRange: v.Time("flow-range"), FlowMin: inPackets(v.Ratio("flow-min-window")), FlowMax: inPackets(v.Ratio("flow-max-window")),
			MinWindow: inPackets(v.Ratio("min-window")), MaxWindow: inPackets(v.Ratio("max-window")),
		}
		return func() Algorithm { return newSwift(p) }
	},
})

// inPackets is a window in packets in 1/65536.
func inPackets(r units.Ratio) int64 { return max(1, r.Mul(units.Ratio{Num: one, Den: 1}).Of(1)) }

func checkSwift(_ Link, v Values, complain Complain) {
	v.atMostOne(complain, "max-decrease")
	for _, name := range []string{"min-window", "max-window", "flow-min-window", "flow-max-window"} {
		if w := v.Ratio(name); w.Cmp(1, 1000) < 0 || w.Cmp(maxWindow, 1) > 0 {
			complain(name, "%s packets: want 0.001 to %d", w, maxWindow)
			return
		}
	}
	if least, most := v.Ratio("min-window"), v.Ratio("max-window"); most.Cmp(least.Num, least.Den) < 0 {
		complain("max-window", "the largest window %s is below the least %s", most, least)
	}
	if least, most := v.Ratio("flow-min-window"), v.Ratio("flow-max-window"); most.Cmp(least.Num, least.Den) < 0 {
		complain("flow-max-window", "%s is below flow-min-window, %s", most, least)
	}
}

// SwiftParams are the parameters of Swift, immutable and shared. Windows are in
// 1/65536 of a packet, fractions in 1/65536.
type SwiftParams struct {
	// Packet is the payload of a full packet.
	Packet units.Bytes
	// BaseTarget is the target delay of a path without switches and with a large
	// window; HopTarget is added for each switch.
	BaseTarget, HopTarget units.Time
	// Increase is ai, the growth of the window in a round trip.
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
	p          *SwiftParams `state:"-"`
	window     int64
	decreaseAt units.Time // no decrease before
}

// newSwift makes the congestion control of one queue pair.
func newSwift(p *SwiftParams) *Swift { return &Swift{p: p} }

// Start begins at the largest window.
func (s *Swift) Start(_ units.Time, a *Allowance) Wants {
	*s = Swift{p: s.p, window: s.p.MaxWindow}
	*a = Free()
	s.grant(a, s.p.BaseTarget)
	return WantAcks | WantRTT
}

// Window is the window in 1/65536 of a packet.
func (s *Swift) Window() int64 { return s.window }

// Target is the window's target delay, on a path with the given number of switches.
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

// grant converts the window to bytes. A window below one packet becomes one packet, sent once per
// several round trips.
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
