package cc

import (
	"testing"

	"weft/units"
)

// The numbers are worked out by hand from RFC 6298, 2.2 and 2.3.
func TestTheTimeoutFollowsRFC6298(t *testing.T) {
	const us = units.Microsecond
	r := NewRetryTimer(units.Second, us, units.Second)
	for i, step := range []struct{ rtt, srtt, wait units.Time }{
		{800 * us, 800 * us, (800 + 4*400) * us},
		{800 * us, 800 * us, (800 + 4*300) * us},
		{1600 * us, 900 * us, (900 + 4*425) * us},
		{100 * us, 800 * us, 800*us + 4*518_750*units.Nanosecond},
	} {
		if r.Sample(step.rtt); r.RTT() != step.srtt || r.Wait() != step.wait {
			t.Errorf("sample %d: smoothed %v and wait %v, want %v and %v", i, r.RTT(), r.Wait(), step.srtt, step.wait)
		}
	}
}

func TestTheTimeoutKeepsItsBoundsAndBacksOff(t *testing.T) {
	const ms = units.Millisecond
	r := NewRetryTimer(67*ms, 4*ms, 268*ms)
	if r.Wait() != 67*ms {
		t.Errorf("at first %v, want 67ms", r.Wait())
	}
	r.Sample(10 * units.Microsecond)
	for _, want := range []units.Time{4, 8, 16, 32, 64, 128, 256, 268, 268} {
		if r.Wait() != want*ms {
			t.Errorf("%v, want %v", r.Wait(), want*ms)
		}
		r.Backoff()
	}
	r.Sample(units.Second)
	if r.Wait() != 268*ms {
		t.Errorf("%v behind a round trip of a second, want the most, 268ms", r.Wait())
	}
	for range 100 {
		r.Sample(units.Millisecond)
	}
	if r.Wait() != 4*ms {
		t.Errorf("%v behind a hundred of a millisecond, want the least, 4ms", r.Wait())
	}
}

// A round trip that never varies still leaves time for a thread that wakes late.
func TestTheDeviationCountsForNoLessThanAClockTick(t *testing.T) {
	r := NewRetryTimer(units.Second, 0, units.Second)
	for range 200 {
		r.Sample(300 * units.Microsecond)
	}
	if want := 350 * units.Microsecond; r.Wait() != want {
		t.Errorf("%v, want %v", r.Wait(), want)
	}
}
