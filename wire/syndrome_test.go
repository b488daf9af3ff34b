package wire_test

import (
	"testing"

	"weft/units"
	"weft/wire"
)

func TestRNRTimerCodeIsOfTheShortestWaitThatIsLongEnough(t *testing.T) {
	for _, c := range []struct {
		at, want units.Time
	}{
		{1, 10 * units.Microsecond},
		{10 * units.Microsecond, 10 * units.Microsecond},
		{10*units.Microsecond + 1, 20 * units.Microsecond},
		{640 * units.Microsecond, 640 * units.Microsecond},
		{491_521 * units.Microsecond, 655_360 * units.Microsecond},
		{655_360 * units.Microsecond, 655_360 * units.Microsecond},
	} {
		if got := wire.RNRTimer(wire.RNRTimerCode(c.at)); got != c.want {
			t.Errorf("a wait of %v becomes %v, want %v", c.at, got, c.want)
		}
	}
}
