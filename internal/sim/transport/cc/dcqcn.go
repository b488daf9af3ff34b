package cc

import (
	"math/bits"

	"weft/units"
)

// CNPScope is the scope of the minimum time between two congestion notifications.
type CNPScope string

// The scopes.
const (
	CNPsOfPort      CNPScope = "port"
	CNPsOfQueuePair CNPScope = "queue-pair"
)

// Choices are the valid scopes.
func (CNPScope) Choices() []string { return []string{string(CNPsOfPort), string(CNPsOfQueuePair)} }

var _ = Register(Control{
	Name:  "dcqcn",
	Marks: true,
	Parameters: []Parameter{
		{Name: "g", Doc: "The weight of a new sample of alpha.", Default: units.Ratio{}},
		{Name: "initial-alpha", Doc: "Alpha after the first notification.", Default: units.Ratio{}},
		{Name: "alpha-period", Doc: "The time between two updates of alpha.", Default: units.Time(0), Range: "1ns..1s"},
		{Name: "decrease-period", Doc: "The least time between two decreases of the rate.", Default: units.Time(0), Range: "0..1s"},
		{Name: "increase-period", Doc: "The time between two increases.", Default: units.Time(0), Range: "1ns..1s"},
		{Name: "byte-counter", Doc: "The bytes between two increases; 0 turns it off.", Default: units.Bytes(0), Range: "0B..1TiB"},
		{Name: "fast-recovery", Doc: "The number of increases that halve the way to the target before the target itself rises.", Default: 0, Range: "1..1000"},
		{Name: "ai-rate", Doc: "The additive step of the target rate.", Default: units.Rate(0), Range: "0bps..1Tbps"},
		{Name: "hai-rate", Doc: "The hyper step of the target rate.", Default: units.Rate(0), Range: "0bps..1Tbps"},
		{Name: "min-rate", Doc: "The lowest rate.", Default: units.Rate(0), Range: "1kbps..1Tbps"},
		{Name: "min-decrease", Doc: "The share of the rate that one decrease leaves at least.", Default: units.Ratio{}},
		{Name: "clamp-target", Doc: "Each decrease lowers the target to the current rate.", Default: false},
		{Name: "clamp-after-timer", Doc: "Only the first decrease after an increase by the timer does so.", Default: false},
		{Name: "first-rate", Doc: "The rate after the first notification over the line rate; 0 leaves the usual decrease.", Default: units.Ratio{}},
		{Name: "cnp-period", Doc: "The least time between two notifications within cnp-scope.", Default: units.Time(0), Range: "0..1s"},
		{Name: "cnp-scope", Doc: "The scope of cnp-period: a receiver's port, or each of its queue pairs.", Default: CNPScope("")},
	},
	Notifications: notifications,
	Check: func(l Link, v Values, complain Complain) {
		v.atMostOne(complain, "g", "initial-alpha", "min-decrease", "first-rate")
		v.withinLine(l, complain)
	},
	New: func(l Link, v Values) func() Algorithm {
		p := DCQCNOf(l, v)
		return func() Algorithm { return NewDCQCN(&p, Unlimited) }
	},
})

// notifications are the pacing of CNPs by the parameters cnp-period and cnp-scope.
func notifications(v Values) (period units.Time, ofPort bool) {
	return v.Time("cnp-period"), value[CNPScope](v, "cnp-scope") == CNPsOfPort
}

// DCQCNOf are the parameters of a scenario.
func DCQCNOf(l Link, v Values) DCQCNParams {
	first := v.Ratio("first-rate")
	return DCQCNParams{
		LineRate: l.Rate, MinRate: v.Rate("min-rate"), MinDecrease: uint32(v.Fraction("min-decrease")),
		FirstCNPRate: units.Rate(mulDiv(int64(l.Rate), first.Num, max(1, first.Den))),
		Gain:         uint32(v.Fraction("g")), InitialAlpha: uint32(v.Fraction("initial-alpha")),
		AlphaPeriod: v.Time("alpha-period"), DecreasePeriod: v.Time("decrease-period"),
		ClampTarget: v.Bool("clamp-target"), ClampAfterTimer: v.Bool("clamp-after-timer"),
		IncreasePeriod: v.Time("increase-period"), IncreaseBytes: v.Bytes("byte-counter"), FastRecovery: uint32(v.Int("fast-recovery")),
		AdditiveRate: v.Rate("ai-rate"), HyperRate: v.Rate("hai-rate"),
		CNPInterval: v.Time("cnp-period"), CNPsOfPort: value[CNPScope](v, "cnp-scope") == CNPsOfPort,
	}
}

// DCQCNParams are the parameters of DCQCN's reaction point. They are immutable and shared;
// presets.go has the known sets.
type DCQCNParams struct {
	// LineRate is the port's rate: a queue pair starts at it and recovers to it.
	LineRate units.Rate
	// MinRate is the floor of every decrease.
	MinRate units.Rate
	// MinDecrease is the minimum share of the rate after one decrease, in 1/65536. DCQCN's own is
	// half, so a value below 32768 has no effect.
	MinDecrease uint32
	// FirstCNPRate is the rate that the first CNP sets before it cuts it; 0 keeps the rate.
	FirstCNPRate units.Rate

	// Gain is g, the weight of the newest period in alpha, in 1/65536.
	Gain uint32
	// InitialAlpha is alpha at the first CNP, in 1/65536; 65536 is 1.
	InitialAlpha uint32
	// AlphaPeriod is the time between two updates of alpha.
	AlphaPeriod units.Time

	// DecreasePeriod is the minimum time between two decreases, on a grid that begins at the first
	// CNP: a CNP takes effect at the next point of it (ConnectX and the HPCC model). 0 cuts the
	// rate at each CNP at once, raises alpha then, and begins a new alpha period (the paper).
	DecreasePeriod units.Time
	// ClampTarget sets the target to the rate at every decrease. Without it,
	// only a decrease after an increase does so: after one by the byte
	// counter, and, with ClampAfterTimer, after one by the timer.
	ClampTarget     bool
	ClampAfterTimer bool

	// IncreasePeriod is the time, and IncreaseBytes the payload, between two
	// increases; 0 bytes is no byte counter.
	IncreasePeriod units.Time
	IncreaseBytes  units.Bytes
	// FastRecovery is F: this number of steps halve the distance to the target before the target
	// itself rises, by AdditiveRate, and by HyperRate once both counters have exceeded F.
	FastRecovery uint32
	AdditiveRate units.Rate
	HyperRate    units.Rate

	// ScaleWindow makes a queue pair's window shrink with its rate.
	ScaleWindow bool

	// CNPInterval belongs to the notification point, the peer: the least time
	// between two CNPs of a queue pair, or, with CNPsOfPort, of all of a port. The
	// algorithm does not look at them; they are here because the sets below are tuned
	// together with them.
	CNPInterval units.Time
	CNPsOfPort  bool
}

// DCQCN is the reaction point of DCQCN (Zhu et al., "Congestion Control for
// Large-Scale RDMA Deployments", SIGCOMM 2015, section 3.1), in the paper's
// form and in the form of ConnectX firmware, which the HPCC ns-3 model calls
// Mellanox's. They differ in the time at which the rate falls: see DecreasePeriod.
//
// A queue pair starts at line rate and has no timers until its first CNP. Then
// three things happen on their own clocks, and at one instant in this order:
// alpha is updated, the rate rises, the rate falls. Alpha is computed only when
// it is needed; a period in which nothing falls needs no timer; and at line
// rate the increase timer only counts, which is done when it matters. So an
// idle queue pair, and one at line rate, has no timer at all.
//
// What it leaves out: the paper's rate limiter is given up, and alpha
// forgotten, when a flow has been at line rate for a while; here it stays.
type DCQCN struct {
	p          *DCQCNParams `state:"-"`
	window     units.Bytes  // at line rate; 0 is none
	rate       units.Rate
	target     units.Rate
	alpha      uint64     // in 2^-32
	alphaAt    units.Time // next update of alpha
	decreaseAt units.Time // next point of the grid of decreases
	increaseAt units.Time // next expiry of the increase timer
	timeStage  uint32     // expiries since the last decrease
	byteStage  uint32     // expiries of the byte counter since then
	started    bool       // it has had its first CNP
	alphaCNP   bool       // a CNP came in this alpha period
	cutPending bool       // a CNP came since the last point of the grid
}

// NewDCQCN makes the congestion control of one queue pair. window is the maximum payload in flight
// at line rate, usually one bandwidth-delay product; 0 is no window.
func NewDCQCN(p *DCQCNParams, window units.Bytes) *DCQCN {
	return &DCQCN{p: p, window: window}
}

// Start begins at line rate.
func (d *DCQCN) Start(_ units.Time, a *Allowance) Wants {
	*d = DCQCN{p: d.p, window: d.window, rate: d.p.LineRate, target: d.p.LineRate, increaseAt: units.Forever}
	*a = Free()
	d.grant(a)
	return 0
}

// Rate is the current rate.
func (d *DCQCN) Rate() units.Rate { return d.rate }

// Acked is never called: DCQCN does not use acknowledgements.
func (d *DCQCN) Acked(units.Time, Ack, *Allowance) {}

// Notified handles a CNP.
func (d *DCQCN) Notified(now units.Time, a *Allowance) {
	d.run(now, a)
	first := !d.started
	if first {
		d.start(now)
	}
	if d.p.DecreasePeriod == 0 {
		d.alphaTo(now)
		d.decrease(now, a)
		d.alpha = d.ewma(true)
		d.alphaAt = now + d.p.AlphaPeriod
	} else {
		d.alphaTo(now)
		d.alphaCNP = !first // the first has set alpha itself
		d.cutPending = true
		if d.decreaseAt <= now {
			d.decreaseAt += ((now-d.decreaseAt)/d.p.DecreasePeriod + 1) * d.p.DecreasePeriod
		}
	}
	d.grant(a)
}

// start is the additional work of the first CNP.
func (d *DCQCN) start(now units.Time) {
	d.started = true
	d.alpha = uint64(d.p.InitialAlpha) << 16
	d.alphaAt = now + d.p.AlphaPeriod
	d.decreaseAt = now + d.p.DecreasePeriod
	if d.p.FirstCNPRate > 0 {
		d.rate, d.target = d.p.FirstCNPRate, d.p.FirstCNPRate
	}
}

// Timer handles the due timers.
func (d *DCQCN) Timer(now units.Time, a *Allowance) {
	d.run(now, a)
	d.grant(a)
}

// Sent handles the expiry of the byte counter.
func (d *DCQCN) Sent(now units.Time, a *Allowance) {
	d.run(now, a)
	if a.Budget <= 0 {
		a.Budget += d.p.IncreaseBytes
		d.increase()
		d.byteStage++
	}
	d.grant(a)
}

// run handles everything due until now, in the order of time.
func (d *DCQCN) run(now units.Time, a *Allowance) {
	for {
		cutAt := units.Forever
		if d.cutPending {
			cutAt = d.decreaseAt
		}
		if min(cutAt, d.increaseAt) > now {
			return
		}
		switch {
		case d.increaseAt > cutAt:
			d.alphaTo(cutAt)
			d.decrease(cutAt, a)
		case d.atLineRate():
			// Nothing to raise: count the expiries until the next decrease.
			n := (min(now, cutAt)-d.increaseAt)/d.p.IncreasePeriod + 1
			d.timeStage += uint32(n)
			d.increaseAt += n * d.p.IncreasePeriod
		default:
			d.increase()
			d.timeStage++
			d.increaseAt += d.p.IncreasePeriod
		}
	}
}

// atLineRate reports whether an increase would change nothing.
func (d *DCQCN) atLineRate() bool { return d.rate >= d.p.LineRate && d.target >= d.p.LineRate }

// alphaTo updates alpha for all periods that have ended by now.
func (d *DCQCN) alphaTo(now units.Time) {
	for d.alphaAt <= now {
		if d.alpha == 0 && !d.alphaCNP {
			d.alphaAt += ((now-d.alphaAt)/d.p.AlphaPeriod + 1) * d.p.AlphaPeriod
			return
		}
		d.alpha = d.ewma(d.alphaCNP)
		d.alphaCNP = false
		d.alphaAt += d.p.AlphaPeriod
	}
}

// ewma is alpha after one more period, with or without congestion:
// (1-g) alpha, plus g. The gain is a fraction of 2^16, alpha one of 2^32.
func (d *DCQCN) ewma(congested bool) uint64 {
	g := uint64(d.p.Gain)
	alpha := d.alpha * (1<<16 - g) >> 16
	if congested {
		alpha += g << 16
	}
	return alpha
}

// decrease cuts the rate by half of alpha and restarts recovery.
func (d *DCQCN) decrease(now units.Time, a *Allowance) {
	if d.p.ClampTarget || d.byteStage > 0 || d.p.ClampAfterTimer && d.timeStage > 0 {
		d.target = d.rate
	}
	hi, lo := bits.Mul64(uint64(d.rate), d.alpha) // 33 bits below the point
	cut := d.rate - units.Rate(hi<<31|lo>>33)
	hi, lo = bits.Mul64(uint64(d.rate), uint64(d.p.MinDecrease))
	d.rate = max(cut, units.Rate(hi<<48|lo>>16), d.p.MinRate)
	d.timeStage, d.byteStage, d.cutPending = 0, 0, false
	d.increaseAt = now + d.p.IncreasePeriod
	if d.p.IncreaseBytes > 0 {
		a.Budget = d.p.IncreaseBytes
	}
}

// increase is one step of recovery: fast recovery until one of the counters
// has gone F steps, hyper increase once both have gone beyond, additive
// increase between.
func (d *DCQCN) increase() {
	t, b := d.timeStage, d.byteStage
	if d.p.IncreaseBytes == 0 {
		b = t
	}
	switch f := d.p.FastRecovery; {
	case max(t, b) < f:
	case min(t, b) > f:
		d.target += d.p.HyperRate
	default:
		d.target += d.p.AdditiveRate
	}
	d.target = min(d.target, d.p.LineRate)
	d.rate = min((d.rate+d.target+1)/2, d.p.LineRate)
}

// grant writes the allowance.
func (d *DCQCN) grant(a *Allowance) {
	a.Rate = d.rate
	if d.window > 0 {
		a.Window = d.window
		if d.p.ScaleWindow {
			hi, lo := bits.Mul64(uint64(d.window), uint64(d.rate))
			w, _ := bits.Div64(hi, lo, uint64(d.p.LineRate))
			a.Window = max(1, units.Bytes(w))
		}
	}
	a.Wake = units.Forever
	if d.cutPending {
		a.Wake = d.decreaseAt
	}
	if d.started && !d.atLineRate() {
		a.Wake = min(a.Wake, d.increaseAt)
	}
}
