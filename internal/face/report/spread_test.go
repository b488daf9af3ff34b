package report

import (
	"testing"

	"weft/units"
)

// A few values are counted; neighbours within a percent are one. Times without gaps have their ends and their middle.
func TestASpreadIsAFewValuesOrARange(t *testing.T) {
	for _, c := range []struct {
		us   []float64
		want string
	}{
		{[]float64{346, 260, 346.2, 345.1, 431, 346, 260.3, 346.9, 345.5, 346.1}, "260 us in 2 of 10 seeds, 346 us in 7 and 431 us in 1"},
		{[]float64{50, 50, 50}, "50.0 us with each of 3 seeds, to the picosecond"},
		{[]float64{50, 50.1, 50.2}, "50.0 us to 50.2 us over 3 seeds, half of them within 50.0 us to 50.1 us"},
		{[]float64{10, 20, 30}, "10.0 us to 30.0 us over 3 seeds, half of them within 15.0 us to 25.0 us"},
		{[]float64{100, 100.9, 101.8, 102.7, 103.6, 104.5, 150, 150}, "100 us to 150 us over 8 seeds, half of them within 102 us to 116 us"},
		{[]float64{10, 20, 20, 20}, "10.0 us in 1 of 4 seeds and 20.0 us in 3"},
	} {
		var ps []int64
		for _, x := range c.us {
			ps = append(ps, int64(x*float64(units.Microsecond)))
		}
		if got := seedSpread(ps); got != c.want {
			t.Errorf("%v are\n%s, want\n%s", c.us, got, c.want)
		}
	}
}
