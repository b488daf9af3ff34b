package executor

import (
	"testing"

	"weft/internal/sim/fabric"
	"weft/units"
)

// The network does not age in a leap: what a pace may change by until the next window is spent by the first leap.
func TestLeapsOverOneOperationShareWhatTheyAfford(t *testing.T) {
	c := &pacer{bound: 0.01, serial: 7}
	for i := range windows + 1 {
		c.marks = append(c.marks, mark{at: units.Time(i+10) * units.Microsecond, reading: &fabric.Reading{}})
	}
	c.begun = mark{reading: &fabric.Reading{}}
	const off = 0.002
	first := c.affords(off)
	if want := 7 * float64(units.Microsecond); first < 0.999*want || first > 1.001*want {
		t.Fatalf("a leap of %.0f ps, want %.0f: 2 × 1 %% / 0.2 %% - 3 windows of 1 us", first, want)
	}
	c.leaps = []jump{{c.marks[windows].at, 3 * units.Microsecond, 6}, {c.marks[windows].at, 5 * units.Microsecond, 7}}
	if got, want := c.affords(off), first-5*float64(units.Microsecond); got != want {
		t.Errorf("after a leap of 5 us over the operation, one of %.0f ps, want %.0f", got, want)
	}
	if got, most := c.affords(0), leapOverWay*18*float64(units.Microsecond); got != most {
		t.Errorf("with equal windows, a leap of %.0f ps, want %.0f: three times the way", got, most)
	}
}
