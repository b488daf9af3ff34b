package cc

import "weft/units"

var _ = Register(Control{
	Name:      "hpcc",
	Telemetry: 42, // five switches of 8 bytes each, and 2 more (Li et al. 2019, section 4)
	Parameters: []Parameter{
		{Name: "ai-rate", Doc: "The additive step of HPCC's window over a base round trip.", Default: units.Rate(0), Range: "0bps..1Tbps"},
		{Name: "min-rate", Doc: "The lowest rate.", Default: units.Rate(0), Range: "1kbps..1Tbps"},
		{Name: "base-rtt", Doc: "The round trip of the empty network.", Default: units.Time(0), Range: "100ns..1s"},
		{Name: "utilisation", Doc: "The share of a link that HPCC wants to use.", Default: units.Ratio{}},
		{Name: "max-stage", Doc: "The number of round trips in which HPCC's window grows by addition alone before it follows the links' load again.", Default: 0, Range: "0..1000"},
	},
	Check: func(l Link, v Values, complain Complain) {
		v.withinLine(l, complain)
		v.atMostOne(complain, "utilisation")
		if v.Ratio("utilisation").Num == 0 {
			complain("utilisation", "a utilisation of 0 sends nothing: 95%% is HPCC's own")
		}
	},
	New: func(l Link, v Values) func() Algorithm {
		rtt := v.Time("base-rtt")
		increase := int64(v.Rate("ai-rate")) / 8 * int64(rtt/units.Nanosecond) / int64(units.Second/units.Nanosecond)
		p := &HPCCParams{
			LineRate: l.Rate, MinRate: v.Rate("min-rate"), BaseRTT: rtt, Utilisation: v.Fraction("utilisation"),
			MaxStage: v.Int("max-stage"), Increase: max(1, units.Bytes(increase)),
		}
		return func() Algorithm { return newHPCC(p) }
	},
})

// HPCCParams are the parameters of HPCC, immutable and shared.
type HPCCParams struct {
	// LineRate is the port's rate, at which a queue pair starts; MinRate bounds it
	// below.
	LineRate, MinRate units.Rate
	// BaseRTT is T, the round trip of the network when it is empty.
	BaseRTT units.Time
	// Utilisation is eta, the target utilisation of links, in 1/65536.
	Utilisation int64
	// MaxStage is the number of round trips with additive growth only, before the window follows
	// the links' load again.
	MaxStage int
	// Increase is W_AI, in bytes.
	Increase units.Bytes
}

// HPCC is HPCC (Li et al., "HPCC: High Precision Congestion Control", SIGCOMM 2019, algorithm 1):
// the window that brings the busiest link of the path to its target, by the telemetry of the
// switches. The rate is the window over the base round trip.
//
// The paper's inflight bytes U of a link are in 2^-20 here. If the number of switches on the path
// changes, the measurement restarts; another path of the same length is not detected, which matters
// only with spraying.
type HPCC struct {
	p        *HPCCParams `state:"-"`
	line     units.Bytes // W_init: bytes in flight at line rate
	window   units.Bytes
	stable   units.Bytes // Wc, the window of the last round trip
	load     int64       // U, in 2^-20
	stage    int         // incStage
	acked    units.Bytes // sum of acknowledged bytes
	updateAt units.Bytes // acknowledged, and the round trip is over
	last     Path
}

// loadOne is a load of 1.
const loadOne = 1 << 20

// newHPCC makes the congestion control of one queue pair.
func newHPCC(p *HPCCParams) *HPCC {
	return &HPCC{p: p, line: max(1, bytesIn(p.LineRate, p.BaseRTT))}
}

// Start begins at line rate.
func (h *HPCC) Start(_ units.Time, a *Allowance) Wants {
	*h = HPCC{p: h.p, line: h.line, window: h.line, stable: h.line, load: loadOne}
	*a = Free()
	h.grant(a)
	return WantAcks | WantPath
}

// Load is the estimate of the busiest link's load, in 2^-20.
func (h *HPCC) Load() int64 { return h.load }

// Acked handles an acknowledgement with the switches' telemetry.
func (h *HPCC) Acked(_ units.Time, ack Ack, a *Allowance) {
	h.acked += ack.Bytes
	if ack.Path == nil || ack.Path.N == 0 {
		return
	}
	known := h.last.N == ack.Path.N
	if known {
		h.measure(ack.Path)
	}
	h.last = *ack.Path
	if !known {
		return
	}
	over := h.acked > h.updateAt
	h.compute(over)
	if over {
		h.updateAt = h.acked + ack.Flight
	}
	h.grant(a)
}

// measure is MeasureInflight: the load of the busiest link since the last
// acknowledgement, weighted by the time that it covers.
func (h *HPCC) measure(path *Path) {
	most, span := int64(-1), units.Time(0)
	for i := range path.N {
		now, before := &path.Hop[i], &h.last.Hop[i]
		t := now.At - before.At
		if t <= 0 {
			continue
		}
		queue := mulDiv(int64(min(now.Queue, before.Queue)), loadOne, int64(max(1, bytesIn(now.Rate, h.p.BaseRTT))))
		sent := mulDiv(int64(max(0, now.Sent-before.Sent)), loadOne, int64(max(1, bytesIn(now.Rate, t))))
		if queue+sent > most {
			most, span = queue+sent, t
		}
	}
	if most < 0 {
		return
	}
	span = min(span, h.p.BaseRTT)
	h.load += (most - h.load) * int64(span) / int64(h.p.BaseRTT)
}

// compute is ComputeWind: by the load if it is too high, or if additive growth has lasted long
// enough, else by addition. Once per round trip the window becomes the base of the next.
func (h *HPCC) compute(over bool) {
	p := h.p
	target := p.Utilisation << 4 // in 2^-20
	full := h.load >= target || h.stage >= p.MaxStage
	h.window = h.stable + p.Increase
	if full {
		h.window = units.Bytes(mulDiv(int64(h.stable), target, max(1, h.load))) + p.Increase
	}
	h.window = min(max(h.window, bytesIn(p.MinRate, p.BaseRTT), 1), h.line)
	if !over {
		return
	}
	h.stable = h.window
	h.stage++
	if full {
		h.stage = 0
	}
}

// grant is the window, and the rate that spreads it over the base round trip.
func (h *HPCC) grant(a *Allowance) {
	a.Window = h.window
	a.Rate = min(max(1, rateOf(h.window, h.p.BaseRTT)), h.p.LineRate)
}

// Notified does nothing: HPCC does not use marks.
func (h *HPCC) Notified(units.Time, *Allowance) {}

// Sent is never called: the budget is unlimited.
func (h *HPCC) Sent(units.Time, *Allowance) {}

// Timer is never called: HPCC has none.
func (h *HPCC) Timer(units.Time, *Allowance) {}
