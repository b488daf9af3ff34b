package stats_test

import (
	"math"
	"testing"

	"weft/internal/base/stats"
)

// The interval of ten samples, worked out by hand: mean 5.5, standard deviation
// 3.02765, t(0.975, 9) = 2.26216.
func TestAnIntervalIsStudents(t *testing.T) {
	got := stats.IntervalOf([]float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
	half := 2.26216 * 3.02765 / math.Sqrt(10)
	for _, c := range [][2]float64{{got.Mean, 5.5}, {got.Low, 5.5 - half}, {got.High, 5.5 + half}} {
		if math.Abs(c[0]-c[1]) > 1e-4 {
			t.Errorf("the interval is %+v, want 5.5 ± %.5f", got, half)
		}
	}
	if one := stats.IntervalOf([]float64{7}); one.Mean != 7 || !math.IsNaN(one.Low) || !math.IsNaN(one.High) {
		t.Errorf("one sample has the interval %+v: want none", one)
	}
}

func TestAQuantileIsBetweenNeighbours(t *testing.T) {
	x := []float64{10, 20, 40, 80}
	for p, want := range map[float64]float64{0: 10, 0.5: 30, 1: 80, 0.1: 13, 0.9: 68} {
		if got := stats.Quantile(x, p); math.Abs(got-want) > 1e-9 {
			t.Errorf("the quantile of %g is %g, want %g", p, got, want)
		}
	}
	if got := stats.Quantile([]float64{5}, 0.9); got != 5 {
		t.Errorf("the quantile of one sample is %g", got)
	}
}
