package stats

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// Confidence is the level of all intervals.
const Confidence = 0.95

// Interval is a mean with its 95 % confidence interval.
type Interval struct {
	Mean float64 `json:"mean"`
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// An interval takes into account that the samples may not show all values there are: the times of a
// simulation with random paths take two or three values, one of them perhaps rarely. So it is Student's
// interval of the samples with half a value more: a quarter of a value as far below the least as that is
// from the mean, and a quarter as far above the greatest. On the longer of these two sides it is farther, the
// more so the shorter the other side is: where a few samples lie far out, others may lie
// farther. Weight and distances were chosen by the coverage of the mean over several kinds of simulations,
// with five to sixteen samples (TestIntervalsCover of internal/face/report). A value that no sample shows,
// and that is far from all of them, is in no interval: of a value that one seed in twenty has, sixteen seeds
// show nothing in four cases of ten.
const (
	unseen  = 0.25 // of a value, beyond each end
	farther = 2.0  // on the longer side, times the share by which it is longer
)

// beyond are the values that the samples may not show.
func beyond(x []float64) (below, above float64) {
	least, mean, most := slices.Min(x), stat.Mean(x, nil), slices.Max(x)
	if least == most {
		return least, most
	}
	left, right := mean-least, most-mean
	lopsided := (right - left) / (right + left) // from -1 to 1
	return least - left*(1+farther*max(0, -lopsided)), most + right*(1+farther*max(0, lopsided))
}

// moments are the mean of samples with the unseen values, the variance of that mean, and its degrees of
// freedom.
func moments(x []float64) (mean, variance, freedom float64) {
	below, above := beyond(x)
	with := append(slices.Clone(x), below, above)
	weights := make([]float64, len(with))
	for i := range weights {
		weights[i] = 1
	}
	weights[len(x)], weights[len(x)+1] = unseen, unseen
	mean, variance = stat.MeanVariance(with, weights)
	return mean, variance / (float64(len(x)) + 2*unseen), float64(len(x) - 1)
}

// around is the interval of a mean.
func around(mean, centre, variance, freedom float64) Interval {
	if variance == 0 {
		return Interval{mean, centre, centre}
	}
	half := math.Sqrt(variance) * distuv.StudentsT{Mu: 0, Sigma: 1, Nu: freedom}.Quantile((1+Confidence)/2)
	return Interval{mean, centre - half, centre + half}
}

// IntervalOf is the mean of samples with its interval. It takes two samples or more: with a single sample the
// spread is unknown, and the bounds are NaN.
func IntervalOf(x []float64) Interval {
	mean := stat.Mean(x, nil)
	if len(x) < 2 {
		return Interval{mean, math.NaN(), math.NaN()}
	}
	centre, variance, freedom := moments(x)
	return around(mean, centre, variance, freedom)
}

// Contrast is the difference of the means of two kinds of samples, the first minus the second. Paired
// samples, as many of one kind as of the other, belong together by their places: both of a pair share
// what chance has drawn. Otherwise the samples of one kind say nothing about those of the other, and the
// interval is Welch's (1947). Bounds are NaN with a single sample of a kind.
func Contrast(a, b []float64, paired bool) Interval {
	if paired {
		differences := make([]float64, len(a))
		for i := range a {
			differences[i] = a[i] - b[i]
		}
		return IntervalOf(differences)
	}
	mean := stat.Mean(a, nil) - stat.Mean(b, nil)
	if len(a) < 2 || len(b) < 2 {
		return Interval{mean, math.NaN(), math.NaN()}
	}
	of, va, fa := moments(a)
	to, vb, fb := moments(b)
	if va+vb == 0 {
		return Interval{mean, mean, mean}
	}
	return around(mean, of-to, va+vb, (va+vb)*(va+vb)/(va*va/fa+vb*vb/fb))
}

// leastRanked is the number of samples of each kind from which ranks tell two kinds apart. With more than
// mostRanked of them the mean tells the same, and ranks are long to compute.
const leastRanked, mostRanked = 8, 100

// Shift is how far the typical sample of one kind lies above that of another: the median of all differences
// (Hodges and Lehmann 1963), with the interval of the rank sum (Mann and Whitney 1947), in its normal
// approximation. A few samples that lie far out move neither. It reports false for too few samples, and for too many.
func Shift(a, b []float64) (shift Interval, ok bool) {
	n, m := len(a), len(b)
	if min(n, m) < leastRanked || max(n, m) > mostRanked {
		return Interval{}, false
	}
	differences := make([]float64, 0, n*m)
	for _, x := range a {
		for _, y := range b {
			differences = append(differences, x-y)
		}
	}
	slices.Sort(differences)
	half := distuv.UnitNormal.Quantile((1+Confidence)/2) * math.Sqrt(float64(n*m*(n+m+1))/12)
	k := max(0, int(float64(n*m)/2-half)-1)
	return Interval{Quantile(differences, 0.5), differences[k], differences[n*m-1-k]}, true
}

// Over is the interval divided by base; it is zero if base is zero.
func (i Interval) Over(base float64) Interval {
	if base == 0 {
		return Interval{}
	}
	return Interval{i.Mean / base, i.Low / base, i.High / base}
}

// Quantile is the quantile p, from 0 to 1, of sorted samples, at least one. It interpolates
// linearly between neighbours (Hyndman and Fan 1996, type 7), so that the quantiles of a loss
// mirror the quantiles of the remainder. gonum has types 1 and 4 only.
func Quantile(sorted []float64, p float64) float64 {
	at := p * float64(len(sorted)-1)
	i := min(int(at), max(0, len(sorted)-2))
	return sorted[i] + (at-float64(i))*(sorted[min(i+1, len(sorted)-1)]-sorted[i])
}
