package sim

import (
	"errors"
	"fmt"
	"strconv"

	"weft/internal/sim/runstore"
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

// differs is what to do about results that skipping has changed.
const differs = "this is a defect of weft, please report it with the scenario; --exact off gives the right results"

// inWay is the simulation as Options.Exact says.
func (j *job) inWay(e Exact) runstore.Point {
	if e == ExactCheck {
		return j.check()
	}
	j.Exact = e == ExactOn
	return j.run()
}

// check runs the simulation with and without skipping. It records only the latter, because a simulation
// that records does not skip.
func (j *job) check() runstore.Point {
	skipping, plan := *j, *j.Plan
	plan.Series, plan.CountPorts = nil, false
	skipping.Plan, skipping.observe, skipping.Exact = &plan, nil, true
	with := skipping.run()
	j.watch.compared(&skipping, &with)
	j.Exact = false
	without := j.run()
	if with.Partial || without.Partial {
		return without
	}
	return compared(&with, &without)
}

// compared is the point of a simulation that ran with and without skipping.
func compared(with, without *runstore.Point) runstore.Point {
	field, a, b := runstore.Difference(with, without)
	if with.Failure != without.Failure { // it says more than the missing results
		field, a, b = "failure", strconv.Quote(with.Failure), strconv.Quote(without.Failure)
	}
	if field != "" {
		return failed(without, fmt.Errorf("%s is %s if repeated periods are skipped, and %s if all are simulated (%d periods were skipped): "+differs,
			field, a, b, with.Counts.Skipped.Periods))
	}
	same := *without
	same.Counts.Skipped = with.Counts.Skipped
	return same
}
