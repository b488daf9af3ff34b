package cc

import "weft/units"

var _ = Register(Control{
	Name: "nscc",
	For:  UltraEthernet,
	Parameters: []Parameter{
		{Name: "beta", Doc: "The factor of a decrease.", Default: units.Ratio{}},
		{Name: "max-decrease", Doc: "The largest share of the window that one decrease takes.", Default: units.Ratio{}},
		{
			Name: "base-rtt", Doc: "NSCC's is by default the round trip of the fabric's longest path.", Default: units.Time(0), Range: "100ns..1s",
			Derived: func(rtt units.Time, _ Values) any { return rtt },
		},
		{
			Name: "target-delay", Doc: "The queueing delay that NSCC aims at; by default three quarters of the base round trip.", Default: units.Time(0), Range: "1ns..1s",
			Derived: func(_ units.Time, v Values) any { return v.Time("base-rtt") * 3 / 4 },
		},
		{Name: "proportional", Doc: "The growth of NSCC's window in a round trip without queueing, in packets for each 150 kB that the link carries in a base round trip, times the target delay over 12 us.", Default: units.Ratio{}},
		{Name: "fair", Doc: "The growth while queues are emptying, in packets for each 150 kB.", Default: units.Ratio{}},
		{Name: "steady", Doc: "The growth in every round trip, in the same measure.", Default: units.Ratio{}},
		{Name: "fast", Doc: "The growth by each byte that comes back once the network has been empty for a whole window, in the same measure.", Default: units.Ratio{}},
		{Name: "quick-gate", Doc: "NSCC has no quick adaptation as long as more than 2 to the power of minus quick-gate of the largest window comes back in a round trip.", Default: 0, Range: "0..16"},
	},
	Check: func(_ Link, v Values, complain Complain) {
		if v.Ratio("proportional").Num == 0 && v.Ratio("fair").Num == 0 && v.Ratio("steady").Num == 0 {
			complain("", "without proportional, fair and steady increase NSCC's window never grows: give cc: nscc for the specification's")
		}
		v.atMostOne(complain, "beta", "max-decrease")
		for _, name := range []string{"proportional", "fair", "steady", "fast"} {
			if x := v.Ratio(name); x.Cmp(1000, 1) > 0 {
				complain(name, "%s is more than 1000: the specification's are 0.15 to 5", x)
			}
		}
	},
	New: func(l Link, v Values) func() Algorithm {
		p := nsccOf(l, v)
		return func() Algorithm { return newNSCC(p) }
	},
})

// The network that the defaults of NSCC are for: 100 Gb/s and 12 us, with 150 kB in flight. The
// parameters of another network are scaled by its data in flight (scaling_a of the UET
// specification, 3.6.13.3).
const (
	referenceFlight = 150_000
	referenceRTT    = 12 * units.Microsecond
)

// nsccOf are the parameters of a scenario. If switches do not trim, a delay of four times the
// target triggers quick adaptation; a trimmed packet is an earlier signal (3.6.13.3).
func nsccOf(l Link, v Values) *NSCCParams {
	rtt, target := v.Time("base-rtt"), v.Time("target-delay")
	flight := bytesIn(l.Rate, rtt)
	scaled := func(name string) units.Ratio {
		return v.Ratio(name).Mul(units.Ratio{Num: int64(flight), Den: referenceFlight})
	}
	quick := 4 * target
	if l.Trims {
		quick = units.Forever
	}
	return &NSCCParams{
		LineRate: l.Rate, Packet: l.Packet, BaseRTT: rtt, TargetDelay: target,
		Proportional: scaled("proportional").Mul(units.Ratio{Num: int64(target), Den: int64(referenceRTT)}).Of(int64(l.Packet)),
		Fair:         scaled("fair").Of(int64(l.Packet)), Steady: scaled("steady").Of(int64(l.Packet)),
		FastScale: scaled("fast").Of(one), Beta: v.Fraction("beta"), MaxDecrease: v.Fraction("max-decrease"),
		QuickGate: uint(v.Int("quick-gate")), QuickDelay: quick,
	}
}

// NSCCParams are the parameters of NSCC, immutable and shared. Fractions are in
// 1/65536.
type NSCCParams struct {
	// LineRate is the sender's, Packet the payload of a full packet.
	LineRate units.Rate
	Packet   units.Bytes
	// BaseRTT is the round trip of a full packet over the longest path of the empty network; a
	// shorter measured one replaces it.
	BaseRTT units.Time
	// TargetDelay is the queueing delay that the window aims at (target_qdelay).
	TargetDelay units.Time
	// Proportional is the growth of the window per round trip without queueing, in bytes (alpha ·
	// target_qdelay); Fair is the growth while queues are emptying (fi), Steady the growth in any
	// round trip (eta).
	Proportional, Fair, Steady int64
	// FastScale is the growth per returned byte once the network has been empty for a
	// whole window (fi_scale).
	FastScale int64
	// Beta is the factor of a decrease (gamma), MaxDecrease the most that one takes.
	Beta, MaxDecrease int64
	// QuickGate bars quick adaptation as long as more than 2^-QuickGate of the
	// largest window comes back in a round trip (qa_gate).
	QuickGate uint
	// QuickDelay is the queueing delay that sets it off without any loss
	// (qa_threshold); units.Forever if switches trim.
	QuickDelay units.Time
}

// NSCC is Ultra Ethernet's network-signalled congestion control (UET specification
// 1.0, 3.6.13): one window over all paths of a queue pair, moved by the mark and the
// delay of each acknowledgement. Unmarked and below the target it grows in
// proportion to the distance, unmarked and above it gently, marked and above it
// shrinks by the mean delay's part above the target, at most once in a round
// trip; marked and below the target it stays, since spraying repairs congestion on
// some paths only. A trimmed packet sets the window to the bytes of the last round
// trip (quick adaptation), once, or else takes the packet off it.
//
// The mean delay covers the last base round trip (get_avg_delay, 3.6.13.6): the weight
// of a sample is the time since the previous sample as a fraction of a base round trip,
// so that the mean reaches back as far with few acknowledgements as with many. The
// specification leaves the weights to the implementer. Windows are in bytes of payload.
// Growth gathers until eight packets or a round trip have come back, as in the
// specification. The receiver's own limit (rcv_cwnd_pend) and the probe for the base
// round trip are left out: a round trip belongs to the packet that drew the
// acknowledgement, so that a repeated packet is not ambiguous.
type NSCC struct {
	p         *NSCCParams `state:"-"`
	window    units.Bytes
	most      units.Bytes // 1.5 times the bytes of the line in a base round trip
	baseRTT   units.Time  `state:"fixed"`
	delay     units.Time  `state:"fixed"` // the mean
	sampledAt units.Time  // when the last sample went into it

	grown    int64       // bytes squared, to be divided by the window
	received units.Bytes // since growth was last applied
	grownAt  units.Time
	cutAt    units.Time
	calm     units.Bytes // came back without any delay, in a row
	fast     bool

	achieved  units.Bytes // came back since the round began
	roundEnds units.Time  `state:"until"` // of quick adaptation; 0 before the first
	trimmed   bool        // quick adaptation is due
	ignore    units.Bytes // marked acknowledgements of so much say nothing new
	ignored   units.Bytes
}

// adjustPackets is the number of packets whose payload must return before growth is applied
// (adjust_bytes_threshold).
const adjustPackets = 8

// newNSCC makes the congestion control of one queue pair.
func newNSCC(p *NSCCParams) *NSCC { return &NSCC{p: p} }

// Start begins at the largest window.
func (c *NSCC) Start(now units.Time, a *Allowance) Wants {
	*c = NSCC{p: c.p, baseRTT: c.p.BaseRTT, grownAt: now, cutAt: now, sampledAt: now}
	c.bound()
	c.window = c.most
	*a = Free()
	c.grant(a)
	return WantAcks | WantRTT
}

// Window is the window in bytes of payload.
func (c *NSCC) Window() units.Bytes { return c.window }

// bound sets the largest window by the base round trip.
func (c *NSCC) bound() {
	c.most = max(c.p.Packet, bytesIn(c.p.LineRate, c.baseRTT)*3/2)
}

// grant lets the queue pair send as long as a full packet more fits.
func (c *NSCC) grant(a *Allowance) {
	c.window = min(max(c.window, c.p.Packet), c.most)
	a.Window = c.window - c.p.Packet + 1
}

// Acked moves the window.
func (c *NSCC) Acked(now units.Time, ack Ack, a *Allowance) {
	delay := c.measure(ack.RTT)
	c.ignored += ack.Bytes + ack.Lost
	switch {
	case ack.Trimmed:
		c.average(now, c.p.BaseRTT) // about the delay of a full queue
		c.trimmed = true
		if !c.quickAdapt(now, true, ack.Flight, 0) {
			c.window -= ack.Lost
		}
	default:
		c.window -= ack.Lost
		c.received += ack.Bytes
		c.achieved += ack.Bytes
		if ack.RTT > 0 {
			c.average(now, delay)
			c.react(now, ack, delay)
		}
	}
	c.grant(a)
}

// measure gives the queueing delay of a round trip, and keeps the shortest round
// trip.
func (c *NSCC) measure(rtt units.Time) units.Time {
	if rtt > 0 && rtt < c.baseRTT {
		c.baseRTT = rtt
		c.bound()
	}
	return rtt - c.baseRTT
}

// average takes a sample of the delay into the mean.
func (c *NSCC) average(now, delay units.Time) {
	weight := min(now-c.sampledAt, c.baseRTT)
	c.sampledAt = now
	if delay >= c.delay {
		c.delay += units.Time(mulDiv(int64(delay-c.delay), int64(weight), int64(c.baseRTT)))
		return
	}
	c.delay -= units.Time(mulDiv(int64(c.delay-delay), int64(weight), int64(c.baseRTT)))
}

// react is the effect of an acknowledgement: the four cases of mark and delay.
func (c *NSCC) react(now units.Time, ack Ack, delay units.Time) {
	if c.quickAdapt(now, ack.Marked, ack.Flight, delay) {
		return
	}
	target := c.p.TargetDelay
	switch {
	case !ack.Marked && delay >= target:
		c.grown += c.p.Fair * int64(ack.Bytes)
	case !ack.Marked:
		c.grow(ack.Bytes, delay)
	case delay >= target:
		c.shrink(now)
	}
	if c.received > adjustPackets*c.p.Packet || now-c.grownAt >= c.p.BaseRTT {
		c.apply(now)
	}
}

// calmDelay is the delay that counts as none: less than the times of a packet on a
// link or two. htsim has 1 us, too.
const calmDelay = units.Microsecond

// grow is the increase in an idle network: fast once it has been calm for a window.
func (c *NSCC) grow(bytes units.Bytes, delay units.Time) {
	if delay >= calmDelay {
		c.calm, c.fast = 0, false
	} else if c.calm += bytes; c.fast || c.calm > c.window {
		c.window += units.Bytes(mulDiv(int64(bytes), c.p.FastScale, one))
		c.fast = true
		return
	}
	c.grown += mulDiv(c.p.Proportional*int64(bytes), int64(c.p.TargetDelay-delay), int64(c.p.TargetDelay))
}

// shrink is the decrease, once in a round trip.
func (c *NSCC) shrink(now units.Time) {
	c.calm, c.fast = 0, false
	if c.delay <= c.p.TargetDelay || now-c.cutAt <= c.baseRTT {
		return
	}
	part := min(mulDiv(c.p.Beta, int64(c.delay-c.p.TargetDelay), int64(c.delay)), c.p.MaxDecrease)
	c.window -= units.Bytes(mulDiv(int64(c.window), part, one))
	c.cutAt = now
}

// apply adds the gathered growth to the window.
func (c *NSCC) apply(now units.Time) {
	c.window += units.Bytes(c.grown / int64(max(c.window, c.p.Packet)))
	if now-c.grownAt >= c.p.BaseRTT {
		c.grownAt = now
		c.window += units.Bytes(c.p.Steady)
	}
	c.grown, c.received = 0, 0
}

// quickAdapt sets the window to the bytes of the last round, if a packet was trimmed or
// the delay is beyond bounds. It reports whether the acknowledgement needs no further
// reaction, as while marks from before the adaptation come in.
func (c *NSCC) quickAdapt(now units.Time, marked bool, flight units.Bytes, delay units.Time) bool {
	done := false
	switch {
	case c.ignored < c.ignore && marked:
		done = true
	case now >= c.roundEnds:
		if c.roundEnds != 0 && (c.trimmed || delay > c.p.QuickDelay) && c.achieved < c.most>>c.p.QuickGate {
			c.window = max(c.achieved, c.p.Packet)
			c.ignore, c.ignored = flight, 0
			c.trimmed = false
			done = true
		}
		c.achieved = 0
		c.roundEnds = now + c.baseRTT + c.p.TargetDelay
	}
	if done {
		c.grown, c.received = 0, 0
	}
	return done
}

// Notified does nothing: marks come with acknowledgements.
func (c *NSCC) Notified(units.Time, *Allowance) {}

// Sent does not happen: the budget is unlimited.
func (c *NSCC) Sent(units.Time, *Allowance) {}

// Timer does not happen: NSCC has none.
func (c *NSCC) Timer(units.Time, *Allowance) {}
