package cc

import "weft/units"

var _ = Register(Control{
	Name: "rttcc",
	Parameters: []Parameter{
		{Name: "delay-threshold", Doc: "The target of the round trip, before the addition for the rate: above it a flow is congested.", Default: units.Time(0), Range: "1ns..1s"},
		{Name: "target-slope", Doc: "The addition for the rate, as a part of delay-threshold: times the root of line rate over rate.", Default: units.Ratio{}},
		{Name: "max-delay", Doc: "The round trip from which on each decrease is the hyper one.", Default: units.Time(0), Range: "1ns..1s"},
		{Name: "first-rate", Doc: "The rate after the first notification over the line rate; 0 leaves the usual decrease.", Default: units.Ratio{}},
		{Name: "least-decrease", Doc: "The share of the rate that one decrease leaves at least.", Default: units.Ratio{}},
		{Name: "hyper-decrease", Doc: "The share of the rate that a hyper decrease leaves.", Default: units.Ratio{}},
		{Name: "most-increase", Doc: "The largest factor of one increase.", Default: units.Ratio{}},
		{Name: "ai-rate", Doc: "The additive step of the rate.", Default: units.Rate(0), Range: "0bps..1Tbps"},
		{Name: "hai-rate", Doc: "The hyper step of the rate.", Default: units.Rate(0), Range: "0bps..1Tbps"},
		{Name: "hyper-period", Doc: "The time without congestion after which steps are hyper.", Default: units.Time(0), Range: "0..1s"},
		{Name: "delay-only", Doc: "Notifications have no effect.", Default: false},
		{Name: "min-rate", Doc: "The lowest rate.", Default: units.Rate(0), Range: "1kbps..1Tbps"},
		{Name: "cnp-period", Doc: "The least time between two notifications within cnp-scope.", Default: units.Time(0), Range: "0..1s"},
		{Name: "cnp-scope", Doc: "The scope of cnp-period: a receiver's port, or each of its queue pairs.", Default: CNPScope("")},
	},
	Notifications: notifications,
	Check: func(l Link, v Values, complain Complain) {
		v.withinLine(l, complain)
		v.atMostOne(complain, "first-rate", "least-decrease", "hyper-decrease")
		if x := v.Ratio("most-increase"); x.Cmp(1, 1) < 0 || x.Cmp(2, 1) > 0 {
			complain("most-increase", "%s: want a factor of 1 to 2", x)
		}
		if x := v.Ratio("target-slope"); x.Cmp(1, 1) > 0 {
			complain("target-slope", "%s is more than 1", x)
		}
	},
	New: func(l Link, v Values) func() Algorithm {
		p := &RTTCCParams{
			LineRate: l.Rate, MinRate: v.Rate("min-rate"), Threshold: v.Time("delay-threshold"), MaxDelay: v.Time("max-delay"),
			Slope: v.Fraction("target-slope"), First: v.Fraction("first-rate"), LeastDecrease: v.Fraction("least-decrease"),
			HyperDecrease: v.Fraction("hyper-decrease"), MostIncrease: v.Fraction("most-increase"), DelayOnly: v.Bool("delay-only"),
			AdditiveRate: v.Rate("ai-rate"), HyperRate: v.Rate("hai-rate"), HyperPeriod: v.Time("hyper-period"),
		}
		return func() Algorithm { return newRTTCC(p) }
	},
})

// RTTCCParams are the parameters of RTTCC, immutable and shared. Fractions are in 1/65536.
type RTTCCParams struct {
	// LineRate is the port's rate, at which a queue pair starts; MinRate is the floor of every
	// decrease.
	LineRate, MinRate units.Rate
	// Threshold is NVIDIA's CONGESTION_DELAY_THRESHOLD, and Slope its ALPHA: see Target.
	Threshold units.Time
	Slope     int64
	// MaxDelay is the round trip from which on a decrease leaves HyperDecrease of the rate.
	MaxDelay      units.Time
	HyperDecrease int64
	// First is the share of the line rate that the first congestion leaves; 0 is the usual decrease.
	First int64
	// LeastDecrease is MAX_DEC, the least factor of a decrease; MostIncrease is MAX_INC, the largest
	// factor of an increase.
	LeastDecrease, MostIncrease int64
	// AdditiveRate is AI, the step of each round trip; HyperRate is HAI, the step once HyperPeriod
	// has passed without congestion.
	AdditiveRate, HyperRate units.Rate
	HyperPeriod             units.Time
	// DelayOnly makes the algorithm deaf to CNPs.
	DelayOnly bool
}

// RTTCC is NVIDIA's Zero Touch RoCE congestion control by round trips (ZTR_RTTCC). Its parameters
// are published (networking-docs.nvidia.com, "ZTR-RTT CC Parameter and Counter Configuration"), its
// law is not. What is published: a flow is congested if its round trip is above a target that ALPHA
// ties to its rate; decreases are multiplicative, increases additive and hyper additive, each
// bounded by a factor; one rate follows the first congestion. The rest is an assumption:
//
//   - The target is threshold · (1 + α·√(line/rate)): as Swift's, it grows with the inverse root of
//     the rate, so that many flows have room for a packet each.
//   - A decrease is by target/rtt, an increase by one step.
//   - There is one judgement in a round trip: NVIDIA's open sample for the same processor (DOCA PCC,
//     rtt_template) has one probe in flight. A data packet and its acknowledgement are the probe, so
//     a flow slower than its acknowledgements is judged more seldom.
//   - A CNP since the last judgement counts as congestion, and takes the largest usual decrease.
//   - Steps are in 1/2^20 of the line rate, the unit of that sample's rates.
//
// It leaves out loss (NACK), path migration, planes and the receiver's rate.
type RTTCC struct {
	p         *RTTCCParams `state:"-"`
	rate      units.Rate
	judgedAt  units.Time `state:"idle"` // the rate may have changed then
	calmSince units.Time // the last congestion; 0 at the line's rate, at which it makes no difference
	congested bool       // it has been congested
	notified  bool       // a CNP came since judgedAt
}

// newRTTCC makes the congestion control of one queue pair.
func newRTTCC(p *RTTCCParams) *RTTCC { return &RTTCC{p: p} }

// Start begins at line rate.
func (c *RTTCC) Start(now units.Time, a *Allowance) Wants {
	*c = RTTCC{p: c.p, rate: c.p.LineRate, judgedAt: now}
	*a = Free()
	a.Rate = c.rate
	return WantAcks | WantRTT
}

// Target is the round trip above which the flow is congested.
func (c *RTTCC) Target() units.Time {
	inverse := mulDiv(int64(c.p.LineRate), one, int64(c.rate))
	more := mulDiv(c.p.Slope, int64(sqrt(uint64(inverse)*one)), one)
	return c.p.Threshold + units.Time(mulDiv(int64(c.p.Threshold), more, one))
}

// Acked judges a round trip whose packet went out after the last judgement.
func (c *RTTCC) Acked(now units.Time, ack Ack, a *Allowance) {
	if ack.RTT <= 0 || now-ack.RTT < c.judgedAt {
		return
	}
	switch p, target := c.p, c.Target(); {
	case ack.RTT <= target && !c.notified:
		step := p.AdditiveRate
		if now-c.calmSince >= p.HyperPeriod {
			step = p.HyperRate
		}
		c.rate = min(c.rate+step, units.Rate(mulDiv(int64(c.rate), p.MostIncrease, one)))
	case !c.congested && p.First > 0:
		c.rate = min(c.rate, units.Rate(mulDiv(int64(p.LineRate), p.First, one)))
		c.congested, c.calmSince = true, now
	default:
		c.decrease(ack.RTT, target)
		c.congested, c.calmSince = true, now
	}
	if c.rate = min(max(c.rate, c.p.MinRate), c.p.LineRate); c.rate == c.p.LineRate {
		c.calmSince = 0
	}
	c.judgedAt, c.notified = now, false
	a.Rate = c.rate
}

// decrease cuts the rate by the excess of the round trip.
func (c *RTTCC) decrease(rtt, target units.Time) {
	p := c.p
	factor := p.LeastDecrease
	switch {
	case rtt >= p.MaxDelay:
		factor = p.HyperDecrease
	case !c.notified:
		factor = max(factor, mulDiv(one, int64(target), int64(rtt)))
	}
	c.rate = units.Rate(mulDiv(int64(c.rate), factor, one))
}

// Notified remembers a CNP.
func (c *RTTCC) Notified(units.Time, *Allowance) { c.notified = !c.p.DelayOnly }

// Sent does not happen: the budget is unlimited.
func (c *RTTCC) Sent(units.Time, *Allowance) {}

// Timer does not happen: it has none.
func (c *RTTCC) Timer(units.Time, *Allowance) {}
