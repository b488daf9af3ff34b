package measure

import (
	"math"
	"slices"
	"testing"

	"weft/units"
)

// Quantiles are by nearest rank. The slowest message is known to the picosecond,
// the others to three digits.
func TestQuantilesAgreeWithTheSamples(t *testing.T) {
	for _, n := range []int{1, 2, 3, 60, 99, 100, 101, 999, 1000, 4321} {
		times := NewFlowTimes()
		var samples []units.Time
		for i := range n {
			// 7919 is prime, so that the samples are not sorted.
			at := 5*units.Microsecond + units.Time((i*7919)%n)*units.Nanosecond*137 + 3
			times.Add(at)
			samples = append(samples, at)
		}
		slices.Sort(samples)
		d := times.Distribution()
		for _, q := range []struct {
			name string
			got  units.Time
			rank int
		}{{"p50", d.P50, (n + 1) / 2}, {"p99", d.P99, (99*n + 99) / 100}, {"p99.9", d.P999, (999*n + 999) / 1000}} {
			want := samples[q.rank-1]
			if q.rank == n && q.got != want {
				t.Errorf("%s of %d is %v, want the slowest, %v", q.name, n, q.got, want)
			}
			if off := float64(q.got-want) / float64(want); off < -0.001 || off > 0.001 {
				t.Errorf("%s of %d is %v, want %v within 0.1 %%", q.name, n, q.got, want)
			}
		}
	}
}

// Jain's index of the inverse times: (Σx)² / (n Σx²).
func TestFairnessIsJainsIndexOfTheRates(t *testing.T) {
	for _, c := range []struct {
		times []units.Time
		want  float64
	}{
		{[]units.Time{units.Millisecond, units.Millisecond, units.Millisecond}, 1},
		{[]units.Time{units.Millisecond, 2 * units.Millisecond}, 1.5 * 1.5 / (2 * 1.25)},
		{[]units.Time{units.Microsecond, units.Second, units.Second, units.Second}, 0.25},
	} {
		all, part := NewFlowTimes(), NewFlowTimes()
		for i, x := range c.times {
			if i%2 == 0 {
				all.Add(x)
			} else {
				part.Add(x)
			}
		}
		all.Join(part)
		if got := all.Distribution().Fairness; math.Abs(got-c.want) > 0.001 {
			t.Errorf("the index of %v is %.5f, want %.5f", c.times, got, c.want)
		}
	}
	if got := NewFlowTimes().Distribution().Fairness; got != 0 {
		t.Errorf("without messages the index is %v, want 0 for unknown", got)
	}
}
