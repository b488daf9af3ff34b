package stats_test

import (
	"math"
	"testing"

	"weft/internal/base/stats"
)

// The interval of ten samples, worked out by hand: the mean is 5.5, so with a quarter of a value at -3.5 and at 14.5 each,
// 10.5 values with the mean 5.5, the sum of squares 82.5 + 2·81/4, the variance 123/9.5; t(0.975, 9) = 2.26216.
func TestAnIntervalHasUnseenValues(t *testing.T) {
	got := stats.IntervalOf([]float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
	half := 2.26216 * math.Sqrt(123/9.5/10.5)
	for _, c := range [][2]float64{{got.Mean, 5.5}, {got.Low, 5.5 - half}, {got.High, 5.5 + half}} {
		if math.Abs(c[0]-c[1]) > 1e-4 {
			t.Errorf("the interval is %+v, want 5.5 ± %.5f", got, half)
		}
	}
	// One of ten far out, at the mean 1.1: the sides are 0.1 and 0.9, the longer by 0.8. So a quarter of a value is at
	// 0.9 and one at 2 + 0.9·2.6 = 4.34. The mean of 10.5 values is (11 + 5.24/4)/10.5 = 1.172381.
	out := stats.IntervalOf([]float64{1, 1, 1, 1, 2, 1, 1, 1, 1, 1})
	square := func(x float64) float64 { return (x - 1.172381) * (x - 1.172381) }
	half = 2.26216 * math.Sqrt((9*square(1)+square(2)+0.25*(square(0.9)+square(4.34)))/9.5/10.5)
	for _, c := range [][2]float64{{out.Mean, 1.1}, {out.Low, 1.172381 - half}, {out.High, 1.172381 + half}} {
		if math.Abs(c[0]-c[1]) > 1e-4 {
			t.Errorf("the interval of lopsided samples is %+v, want 1.172381 ± %.5f", out, half)
		}
	}
	if one := stats.IntervalOf([]float64{7}); one.Mean != 7 || !math.IsNaN(one.Low) || !math.IsNaN(one.High) {
		t.Errorf("one sample has the interval %+v: want none", one)
	}
	if same := stats.IntervalOf([]float64{7, 7, 7}); same != (stats.Interval{Mean: 7, Low: 7, High: 7}) {
		t.Errorf("three equal samples have the interval %+v: want 7", same)
	}
}

// Pairs that share what chance has drawn are told apart by their differences; the same samples without
// their pairs are not. A constant against samples is as wide as the samples alone.
func TestAContrastIsOfPairsOrOfTwoKinds(t *testing.T) {
	a, b := []float64{10, 20, 30, 40}, []float64{9, 18.9, 29.1, 39}
	if got := stats.Contrast(a, b, true); math.Abs(got.Mean-1) > 1e-9 || got.Low < 0.7 || got.High > 1.3 {
		t.Errorf("pairs differ by %+v, want 1 ± 0.3 at most", got)
	}
	if got := stats.Contrast(a, b, false); math.Abs(got.Mean-1) > 1e-9 || got.Low > -10 || got.High < 10 {
		t.Errorf("samples of two kinds differ by %+v, want 1 and more than 10 to both sides", got)
	}
	got, alone := stats.Contrast(a, []float64{5, 5, 5}, false), stats.IntervalOf(a)
	for _, d := range []float64{got.Mean + 5 - alone.Mean, got.Low + 5 - alone.Low, got.High + 5 - alone.High} {
		if math.Abs(d) > 1e-9 {
			t.Errorf("against a constant of 5 the contrast is %+v, alone the interval is %+v", got, alone)
		}
	}
	if got := stats.Contrast(a, []float64{5}, false); got.Mean != 20 || !math.IsNaN(got.Low) {
		t.Errorf("against one sample the contrast is %+v: want no bounds", got)
	}
	if got := stats.Contrast([]float64{3, 3}, []float64{1, 1}, false); got != (stats.Interval{Mean: 2, Low: 2, High: 2}) {
		t.Errorf("constants differ by %+v, want 2", got)
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

// The shift of two kinds of samples is not moved by a sample far out, and too few samples have none.
func TestShiftIsOfTheTypicalSample(t *testing.T) {
	a, b := make([]float64, 16), make([]float64, 16)
	for i := range a {
		a[i], b[i] = 10+float64(i), float64(i)
	}
	before, ok := stats.Shift(a, b)
	if !ok || before.Mean != 10 || before.Low <= 0 || before.High <= before.Mean {
		t.Errorf("%+v, want 10 and an interval around it above 0", before)
	}
	a[15] = 1e6
	if after, _ := stats.Shift(a, b); math.Abs(after.Mean-10) > 1 || after.Low <= 0 {
		t.Errorf("%+v with one sample far out, want about 10", after)
	}
	if _, ok := stats.Shift(a[:7], b); ok {
		t.Error("seven samples have a shift")
	}
}
