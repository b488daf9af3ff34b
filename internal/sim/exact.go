package sim

import (
	"errors"
	"fmt"
	"strconv"

	"weft/internal/sim/run/network"
	"weft/results"
)

// Exact is what a simulation does with traffic that repeats itself.
type Exact uint8

const (
	// ExactOn skips periods that are equal to an earlier one.
	ExactOn Exact = iota
	// ExactOff simulates every period.
	ExactOff
	// ExactCheck runs each simulation both ways, and the result is the one without skipping. A difference
	// is the simulation's failure.
	ExactCheck
)

// exactNames are the texts of the values.
var exactNames = [...]string{ExactOn: "on", ExactOff: "off", ExactCheck: "check"}

// MarshalText is on, off or check.
func (e Exact) MarshalText() ([]byte, error) {
	if int(e) >= len(exactNames) {
		return nil, fmt.Errorf("Exact is %d: want ExactOn, ExactOff or ExactCheck", e)
	}
	return []byte(exactNames[e]), nil
}

// UnmarshalText reads on, off or check.
func (e *Exact) UnmarshalText(text []byte) error {
	for value, name := range exactNames {
		if string(text) == name {
			*e = Exact(value)
			return nil
		}
	}
	return errors.New("want on, off or check")
}

// ways is the number of simulations for each result.
func (e Exact) ways() int {
	if e == ExactCheck {
		return 2
	}
	return 1
}

// Differs is what to do about results that skipping has changed.
const Differs = "this is a defect of weft, please report it with the scenario; --exact off gives the right results"

// inWay is the simulation as Options.Exact says.
func (j *job) inWay(e Exact) results.Point {
	if e == ExactCheck {
		return j.check()
	}
	j.Exact = e == ExactOn
	return j.run()
}

// check runs the simulation with and without skipping.
func (j *job) check() results.Point {
	skipping := *j
	var series [2]*results.Series
	skipping.Plan, skipping.observe, skipping.Exact, skipping.hidden = withSeries(j.Plan, &series[0]), nil, true, true
	with := skipping.run()
	j.watch.compared(&skipping, &with)
	j.Exact, j.Plan, j.Work = false, withSeries(j.Plan, &series[1]), new(network.Work)
	without := j.run()
	if with.Partial || without.Partial {
		return without
	}
	return compared(&with, &without, series)
}

// withSeries is a plan whose series, if it records one, is kept as well.
func withSeries(p *network.Plan, into **results.Series) *network.Plan {
	own := *p
	if p.Series != nil {
		own.Series = func(s *results.Series) {
			p.Series(s)
			*into = s
		}
	}
	return &own
}

// compared is the point of a simulation that ran with and without skipping.
func compared(with, without *results.Point, series [2]*results.Series) results.Point {
	field, a, b := results.Difference(with, without)
	if with.Failure != without.Failure { // it says more than the missing results
		field, a, b = "failure", strconv.Quote(with.Failure), strconv.Quote(without.Failure)
	}
	if field != "" {
		return failed(without, fmt.Errorf("%s is %s if repeated periods are skipped, and %s if all are simulated (%d periods were skipped): "+Differs,
			field, a, b, with.Counts.Skipped.Periods))
	}
	if table := series[0].Difference(series[1]); table != "" && without.Failure == "" {
		return failed(without, fmt.Errorf("the rows of %s in the series are others if repeated periods are skipped (%d periods were skipped): "+Differs,
			table, with.Counts.Skipped.Periods))
	}
	same := *without
	same.Counts.Skipped = with.Counts.Skipped
	return same
}
