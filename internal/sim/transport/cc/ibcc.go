package cc

import "weft/units"

var _ = Register(Control{
	Name:  "ib-cc",
	For:   InfiniBand,
	Marks: true,
	Parameters: []Parameter{
		{Name: "threshold", Doc: "How soon an InfiniBand switch sees congestion: 15 is the soonest, 0 never.", Default: 0, Range: "0..15"},
		{Name: "marking-rate", Doc: "The number of packets that go unmarked between two that are marked.", Default: 0, Range: "0..65535"},
		{Name: "packet-size", Doc: "The least packet that is marked.", Default: units.Bytes(0), Range: "0B..16320B"},
		{Name: "mark-victims", Doc: "Switches mark at ports, too, that are congested because they wait for credits (Victim_Mask).", Default: false},
		{Name: "ccti-timer", Doc: "The time after which the index into the table falls by one.", Default: units.Time(0), Range: "1024ns..67107840ns"},
		{Name: "ccti-increase", Doc: "The number by which a notification raises the index.", Default: 0, Range: "1..255"},
		{Name: "ccti-min", Doc: "The least index.", Default: 0, Range: "0..255"},
		{Name: "cct", Doc: "The congestion control table: for each index up to CCTI_Limit the delay between two packets, in times of a packet on the wire.", Default: []units.Ratio(nil)},
	},
	Marking: func(v Values) Marking {
		return Marking{v.Int("threshold"), v.Int("marking-rate"), v.Bytes("packet-size"), v.Bool("mark-victims")}
	},
	Check: checkIBCC,
	New: func(l Link, v Values) func() Algorithm {
		p := &IBCCParams{LineRate: l.Rate, Timer: v.Time("ccti-timer"), Increase: v.Int("ccti-increase"), Min: v.Int("ccti-min")}
		for _, delay := range value[[]units.Ratio](v, "cct") {
			entry, _ := tableEntry(delay)
			p.Table = append(p.Table, entry)
		}
		return func() Algorithm { return NewIBCC(p) }
	},
})

// The limits of an entry of the congestion control table (IBA vol. 1, A10.2.2.1.1): 14 bits over a
// power of two of 2 bits; and the maximum length of the table.
const (
	maxCCTMultiplier = 1<<14 - 1
	maxCCTShift      = 3
	maxCCT           = 1 << 10 // sixteen blocks of 64; OpenSM has 128 entries
)

func checkIBCC(_ Link, v Values, complain Complain) {
	if v.Int("threshold") == 0 {
		complain("threshold", "a threshold of 0 marks nothing: give 1 to 15, or cc: none")
	}
	table := value[[]units.Ratio](v, "cct")
	if len(table) < 1 || len(table) > maxCCT {
		complain("cct", "the table has %d entries: 1 to %d are possible", len(table), maxCCT)
		return
	}
	if least := v.Int("ccti-min"); least >= len(table) {
		complain("ccti-min", "the least index %d is beyond the table, whose last is %d", least, len(table)-1)
	}
	for i, delay := range table {
		if _, ok := tableEntry(delay); !ok {
			complain("cct", "entry %d is %s: want at most %d, in eighths, since an entry is 14 bits over 1, 2, 4 or 8", i, delay, maxCCTMultiplier)
			return
		}
	}
}

// tableEntry is a delay as an entry of the congestion control table; false if it cannot be
// represented.
func tableEntry(delay units.Ratio) (TableEntry, bool) {
	for shift := range uint8(maxCCTShift + 1) {
		m := delay.Mul(units.Ratio{Num: 1 << shift, Den: 1})
		if m.Den == 1 && m.Num <= maxCCTMultiplier {
			return TableEntry{uint16(m.Num), shift}, true
		}
	}
	return TableEntry{}, false
}

// TableEntry is an entry of the congestion control table: the wait of a queue pair after a packet,
// in wire times of that packet, Multiplier / 2^Shift (IBA vol. 1, A10.2.2.1.1: 14 bits and 2 bits).
type TableEntry struct {
	Multiplier uint16
	Shift      uint8
}

// IBCCParams are a channel adapter's parameters of congestion control, with the specification's
// names. They are immutable and shared.
type IBCCParams struct {
	// LineRate is the port's rate.
	LineRate units.Rate
	// Timer is CCTI_Timer: the time after which the index decreases by one.
	Timer units.Time
	// Increase is CCTI_Increase: the increase of the index by a BECN.
	Increase int
	// Min is CCTI_Min, the least index.
	Min int
	// Table is the congestion control table. Its last index is CCTI_Limit.
	Table []TableEntry
}

// IBCC is the reaction of a channel adapter to backward explicit congestion notification,
// InfiniBand's own congestion control (IBA vol. 1, annex A10.2.2), by queue pair: a BECN moves the
// index into the table up, the timer moves it down, and the entry is the delay between packets.
//
// The timer runs while the index is above its least; it begins with the BECN that lifts it, as in
// Linux's hfi1. At the index of no delay the queue pair is not paced.
//
// Left out: one index for all queue pairs of a service level, the specification's other mode;
// Trigger_Threshold and the log of events, which only management reads.
type IBCC struct {
	p    *IBCCParams `state:"-"`
	ccti int
}

// NewIBCC makes the congestion control of one queue pair.
func NewIBCC(p *IBCCParams) *IBCC { return &IBCC{p: p} }

// Start begins at the least index.
func (c *IBCC) Start(_ units.Time, a *Allowance) Wants {
	c.ccti = min(c.p.Min, c.limit())
	*a = Free()
	c.grant(a)
	return 0
}

// limit is CCTI_Limit.
func (c *IBCC) limit() int { return len(c.p.Table) - 1 }

// Notified handles a BECN.
func (c *IBCC) Notified(now units.Time, a *Allowance) {
	c.fall(now, a)
	c.ccti = min(c.ccti+c.p.Increase, c.limit())
	if c.ccti > c.p.Min && a.Wake == units.Forever {
		a.Wake = now + c.p.Timer
	}
	c.grant(a)
}

// Timer lowers the index.
func (c *IBCC) Timer(now units.Time, a *Allowance) {
	c.fall(now, a)
	c.grant(a)
}

// fall lowers the index for all periods that have ended by now.
func (c *IBCC) fall(now units.Time, a *Allowance) {
	for a.Wake <= now {
		c.ccti--
		a.Wake += c.p.Timer
		if c.ccti <= c.p.Min {
			a.Wake = units.Forever
		}
	}
}

// Acked is never called.
func (c *IBCC) Acked(units.Time, Ack, *Allowance) {}

// Sent is never called: the budget is unlimited.
func (c *IBCC) Sent(units.Time, *Allowance) {}

// grant turns the delay into a rate: a packet of time t is followed by a wait of
// t·m/2^s, so that the next begins t·(1 + m/2^s) after it.
func (c *IBCC) grant(a *Allowance) {
	e := c.p.Table[c.ccti]
	if e.Multiplier == 0 {
		a.Rate = 0
		return
	}
	whole := units.Rate(1) << e.Shift
	a.Rate = max(1, c.p.LineRate*whole/(whole+units.Rate(e.Multiplier)))
}
