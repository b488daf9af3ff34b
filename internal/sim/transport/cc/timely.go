package cc

import "weft/units"

var _ = Register(Control{
	Name: "timely",
	Parameters: []Parameter{
		{Name: "ai-rate", Doc: "The additive step of TIMELY's rate.", Default: units.Rate(0), Range: "0bps..1Tbps"},
		{Name: "min-rate", Doc: "The lowest rate.", Default: units.Rate(0), Range: "1kbps..1Tbps"},
		{Name: "weight", Doc: "The weight of the newest difference of round trips in TIMELY's mean.", Default: units.Ratio{}},
		{Name: "beta", Doc: "The factor of a decrease.", Default: units.Ratio{}},
		{Name: "low-rtt", Doc: "The round trip below which TIMELY's rate always rises.", Default: units.Time(0), Range: "0..1s"},
		{Name: "high-rtt", Doc: "The round trip above which TIMELY's rate always falls.", Default: units.Time(0), Range: "1ns..1s"},
		{Name: "min-rtt", Doc: "The round trip by which TIMELY's gradient is measured.", Default: units.Time(0), Range: "1ns..1s"},
		{Name: "hyper-after", Doc: "The number of increases by the gradient in a row that make the next five times as large.", Default: 0, Range: "1..1000"},
		{Name: "segment", Doc: "The payload between two updates of TIMELY's rate.", Default: units.Bytes(0), Range: "1B..1GiB"},
	},
	Check: func(l Link, v Values, complain Complain) {
		v.withinLine(l, complain)
		v.atMostOne(complain, "weight")
		if low, high := v.Time("low-rtt"), v.Time("high-rtt"); low > high {
			complain("low-rtt", "the low round trip %s is above the high one %s", low.Exact(), high.Exact())
		}
	},
	New: func(l Link, v Values) func() Algorithm {
		p := &TimelyParams{
			LineRate: l.Rate, MinRate: v.Rate("min-rate"), Weight: uint32(v.Fraction("weight")), Beta: uint32(v.Fraction("beta")),
			Low: v.Time("low-rtt"), High: v.Time("high-rtt"), MinRTT: v.Time("min-rtt"), AdditiveRate: v.Rate("ai-rate"),
			HyperAfter: v.Int("hyper-after"), Segment: v.Bytes("segment"),
		}
		return func() Algorithm { return newTimely(p) }
	},
})

// TimelyParams are the parameters of TIMELY, immutable and shared. Fractions are
// in 1/65536.
type TimelyParams struct {
	// LineRate is the port's rate, at which a queue pair starts; MinRate is the
	// floor of every decrease.
	LineRate, MinRate units.Rate
	// Weight is alpha, of the newest difference of round trips.
	Weight uint32
	// Beta is the factor of every decrease.
	Beta uint32
	// Low and High are the round trips below which the rate always rises and
	// above which it always falls.
	Low, High units.Time
	// MinRTT is the divisor of the gradient.
	MinRTT units.Time
	// AdditiveRate is delta, the step of an increase. After HyperAfter steps in a
	// row by the gradient it is five times as large.
	AdditiveRate units.Rate
	HyperAfter   int
	// Segment is the payload between two updates: a completion event of the
	// paper is of one segment.
	Segment units.Bytes
}

// hyperSteps is the paper's N of hyperactive increase.
const hyperSteps = 5

// Timely is TIMELY (Mittal et al., "TIMELY: RTT-based Congestion Control for the
// Datacenter", SIGCOMM 2015, algorithm 1): a rate that follows the gradient of the
// round trip between two thresholds.
//
// The round trip is from the first bit of a packet on its sender's wire to the
// acknowledgement's arrival; the paper takes the serialisation of a segment out of
// it, which in weft is one packet's. A decrease by the gradient leaves no less
// than nothing, which the paper does not say and the floor makes irrelevant.
type Timely struct {
	p        *TimelyParams `state:"-"`
	rate     units.Rate
	last     units.Time `state:"fixed"` // the round trip before; 0 if there was none
	diff     units.Time `state:"fixed"` // the weighted difference
	falling  int        // updates in a row whose gradient was not positive
	unjudged units.Bytes
}

// newTimely makes the congestion control of one queue pair.
func newTimely(p *TimelyParams) *Timely { return &Timely{p: p} }

// Start begins at line rate.
func (t *Timely) Start(_ units.Time, a *Allowance) Wants {
	*t = Timely{p: t.p, rate: t.p.LineRate}
	*a = Free()
	a.Rate = t.rate
	return WantAcks | WantRTT
}

// Acked updates the rate once in a segment.
func (t *Timely) Acked(_ units.Time, ack Ack, a *Allowance) {
	t.unjudged += ack.Bytes
	if ack.RTT <= 0 || t.unjudged < t.p.Segment {
		return
	}
	t.unjudged = 0
	if t.last == 0 {
		t.last = ack.RTT
		return
	}
	w := units.Time(t.p.Weight)
	t.diff = (t.diff*(one-w) + (ack.RTT-t.last)*w) / one
	t.last = ack.RTT
	t.update(ack.RTT)
	t.rate = min(max(t.rate, t.p.MinRate), t.p.LineRate)
	a.Rate = t.rate
}

// update is the paper's algorithm 1, but for its bounds.
func (t *Timely) update(rtt units.Time) {
	switch p := t.p; {
	case rtt < p.Low:
		t.falling = 0
		t.rate += p.AdditiveRate
	case rtt > p.High:
		t.falling = 0
		over := mulDiv(int64(p.Beta), int64(rtt-p.High), int64(rtt))
		t.rate -= units.Rate(mulDiv(int64(t.rate), over, one))
	case t.diff <= 0:
		steps := units.Rate(1)
		if t.falling++; t.falling >= p.HyperAfter {
			steps = hyperSteps
		}
		t.rate += steps * p.AdditiveRate
	default:
		t.falling = 0
		steep := mulDiv(int64(p.Beta), int64(t.diff), int64(p.MinRTT))
		t.rate -= units.Rate(mulDiv(int64(t.rate), min(steep, one), one))
	}
}

// Notified does nothing: TIMELY does not look at marks.
func (t *Timely) Notified(units.Time, *Allowance) {}

// Sent does not happen: the budget is unlimited.
func (t *Timely) Sent(units.Time, *Allowance) {}

// Timer does not happen: TIMELY has none.
func (t *Timely) Timer(units.Time, *Allowance) {}
