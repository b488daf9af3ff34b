package executor

import (
	"math"
	"math/rand/v2"
	"testing"
)

// The interval of a mean covers the truth in at least nine of ten windows, whether the values are
// independent, differences of times with independent errors, or correlated. It is not much wider
// than it has to be for times whose errors do not add up.
func TestTheIntervalOfAPaceCoversTheTruth(t *testing.T) {
	const truth, windows = 100.0, 2000
	for _, c := range []struct {
		name   string
		values func(r *rand.Rand, n int) []float64
		widest float64 // mean of the interval's half, for 24 values
	}{
		{"independent", func(r *rand.Rand, n int) (x []float64) {
			for range n {
				x = append(x, truth+r.NormFloat64())
			}
			return x
		}, 0.7},
		{"differences", func(r *rand.Rand, n int) (x []float64) {
			for before := r.NormFloat64(); len(x) < n; {
				next := r.NormFloat64()
				x = append(x, truth+next-before)
				before = next
			}
			return x
		}, 0.4},
		{"correlated", func(r *rand.Rand, n int) (x []float64) {
			for e := r.NormFloat64(); len(x) < n; e = 0.5*e + math.Sqrt(0.75)*r.NormFloat64() {
				x = append(x, truth+e)
			}
			return x
		}, 1.2},
	} {
		for _, n := range []int{24, 48} {
			r := rand.New(rand.NewPCG(1, uint64(n)))
			covered, width := 0, 0.0
			for range windows {
				mean, half := meanOf(c.values(r, n))
				width += half / windows
				if math.Abs(mean-truth) <= half {
					covered++
				}
			}
			if share := float64(covered) / windows; share < 0.9 {
				t.Errorf("%s, %d values: %.1f %% of the intervals have the truth", c.name, n, 100*share)
			}
			if n == 24 && width > c.widest {
				t.Errorf("%s: the interval is ±%.2f in the mean, want at most ±%.2f", c.name, width, c.widest)
			}
		}
	}
}
