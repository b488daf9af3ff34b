package cc

import "weft/units"

var _ = Register(Control{
	Name:  "stepwise",
	Marks: true, // it needs ECN
	Parameters: []Parameter{
		{Name: "step", Doc: "The growth of the rate every 55 us.", Default: 100 * units.Mbps, Range: "1Mbps..1Tbps"},
		{Name: "notify-every", Doc: "The least time between two notifications.", Default: 4 * units.Microsecond, Range: "0..1s"},
	},
	Notifications: func(v Values) (units.Time, bool) { return v.Time("notify-every"), false },
	New: func(l Link, v Values) func() Algorithm {
		step := v.Rate("step")
		return func() Algorithm { return &stepwise{line: l.Rate, step: step} }
	},
})

// stepwise halves its rate at a notification, and adds a step at intervals.
type stepwise struct{ line, step, rate units.Rate }

// growEvery is the time between two steps.
const growEvery = 55 * units.Microsecond

// Start begins at line rate.
func (s *stepwise) Start(now units.Time, a *Allowance) Wants {
	*a = Free()
	s.rate = s.line
	a.Rate, a.Wake = s.rate, now+growEvery
	return 0
}

// Notified halves the rate.
func (s *stepwise) Notified(_ units.Time, a *Allowance) {
	s.rate = max(s.rate/2, s.line/1000)
	a.Rate = s.rate
}

// Timer adds a step.
func (s *stepwise) Timer(now units.Time, a *Allowance) {
	s.rate = min(s.rate+s.step, s.line)
	a.Rate, a.Wake = s.rate, now+growEvery
}

// Acked changes nothing.
func (*stepwise) Acked(units.Time, Ack, *Allowance) {}

// Sent changes nothing.
func (*stepwise) Sent(units.Time, *Allowance) {}
