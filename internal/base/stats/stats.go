package stats

import (
	"math"

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

// IntervalOf is the mean of samples with Student's confidence interval. It takes two samples or
// more: with a single sample the spread is unknown, and the bounds are NaN.
func IntervalOf(x []float64) Interval {
	mean, sd := stat.MeanStdDev(x, nil)
	if len(x) < 2 {
		return Interval{mean, math.NaN(), math.NaN()}
	}
	t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(len(x) - 1)}.Quantile((1 + Confidence) / 2)
	half := t * sd / math.Sqrt(float64(len(x)))
	return Interval{mean, mean - half, mean + half}
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
