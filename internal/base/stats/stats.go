// Package stats is the statistics of repeated simulations: confidence intervals and
// quantiles. Everything takes plain numbers and knows no simulation.
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

// IntervalOf is the mean of samples with Student's interval. It takes two samples or
// more: one alone says nothing of how far off it is, and its bounds are NaN.
func IntervalOf(x []float64) Interval {
	mean, sd := stat.MeanStdDev(x, nil)
	if len(x) < 2 {
		return Interval{mean, math.NaN(), math.NaN()}
	}
	t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(len(x) - 1)}.Quantile((1 + Confidence) / 2)
	half := t * sd / math.Sqrt(float64(len(x)))
	return Interval{mean, mean - half, mean + half}
}

// Over is the interval as a share of a number; of nothing it is nothing.
func (i Interval) Over(base float64) Interval {
	if base == 0 {
		return Interval{}
	}
	return Interval{i.Mean / base, i.Low / base, i.High / base}
}

// Quantile is that of p, from 0 to 1, of samples that are sorted and not empty: between
// neighbours by linear interpolation (Hyndman and Fan 1996, type 7), so that those of
// what is lost mirror those of what is left. gonum has types 1 and 4 only.
func Quantile(sorted []float64, p float64) float64 {
	at := p * float64(len(sorted)-1)
	i := min(int(at), max(0, len(sorted)-2))
	return sorted[i] + (at-float64(i))*(sorted[min(i+1, len(sorted)-1)]-sorted[i])
}
