package contest

import (
	"math"
	"slices"

	"weft/internal/base/stats"
	"weft/results"
)

// Tie is the relative difference of times below which fabrics count as equal: the spread of
// repeated measurements of one cluster.
const Tie = 0.02

// Contrast is the ratio of one fabric's time to another's: the geometric mean over seeds, and its
// 95 % interval: of the ratios seed by seed if a seed draws the same on both, else of all seeds of one and
// all of the other. With one run there is no interval: Low and High are NaN.
//
// Where a few seeds take many times as long as the others (a timeout after a loss), the mean hides what all
// others show: then the ratio is Typical, of the medians, by the ranks of the times.
type Contrast struct {
	Mean, Low, High float64
	Typical         bool
}

// ContrastOf is the contrast of pairs of points, one pair per size: for each seed it uses the
// geometric mean over the sizes.
func ContrastOf(pairs [][2]results.Point) Contrast {
	n, paired := math.MaxInt, true
	for i := range pairs {
		n = min(n, len(pairs[i][0].Times()), len(pairs[i][1].Times()))
		paired = paired && Together(&pairs[i][0], &pairs[i][1])
	}
	var logs [2][]float64
	for of := range logs {
		logs[of] = make([]float64, n)
		for i := range pairs {
			for k, t := range pairs[i][of].Times()[:n] {
				logs[of][k] += math.Log(float64(t)) / float64(len(pairs))
			}
		}
	}
	return RatioOf(logs[0], logs[1], paired)
}

// Outlying is the ratio to the median from which the time of a seed is far from all others.
const Outlying = 1.5

// fewOf is the divisor of what counts as a few seeds.
const fewOf = 4

// RatioOf is the contrast of two samples of times' logarithms.
func RatioOf(a, b []float64, paired bool) Contrast {
	i := stats.Contrast(a, b, paired)
	c := Contrast{Mean: math.Exp(i.Mean), Low: math.Exp(i.Low), High: math.Exp(i.High)}
	if c.Behind(true) || !Outliers(a) && !Outliers(b) {
		return c
	}
	if shift, ok := stats.Shift(a, b); ok {
		if typical := (Contrast{math.Exp(shift.Mean), math.Exp(shift.Low), math.Exp(shift.High), true}); typical.Behind(true) {
			return typical
		}
	}
	return c
}

// Outliers reports whether a few of the times, given as logarithms, lie far above their median.
func Outliers(logs []float64) bool {
	sorted := slices.Sorted(slices.Values(logs))
	usual, _ := slices.BinarySearch(sorted, stats.Quantile(sorted, 0.5)+math.Log(Outlying))
	few := len(sorted) - usual
	return few > 0 && fewOf*few <= len(sorted)
}

// Ratio is the ratio of the mean times of two points; of what is usual, where that alone shows an order.
func Ratio(of, to results.Point) float64 {
	for _, c := range []Contrast{ContrastOf([][2]results.Point{{of, to}}), ContrastOf([][2]results.Point{{to, of}}).inverse()} {
		if c.Typical {
			return c.Mean
		}
	}
	return float64(of.Time) / float64(to.Time)
}

// LogsOf are the logarithms of times.
func LogsOf[T int64 | float64](times []T) []float64 {
	out := make([]float64, len(times))
	for i, t := range times {
		out[i] = math.Log(float64(t))
	}
	return out
}

// Together reports whether the times of two points belong together seed by seed.
func Together(a, b *results.Point) bool {
	return a.Seeds == nil || b.Seeds == nil || a.Seeds.Together(b.Seeds)
}

// inverse is the contrast the other way round.
func (c Contrast) inverse() Contrast {
	return Contrast{1 / c.Mean, 1 / c.High, 1 / c.Low, c.Typical}
}

// Once reports whether the contrast is from one run.
func (c Contrast) Once() bool { return math.IsNaN(c.Low) }

// Behind reports whether the first fabric is slower by a significant difference that exceeds chance:
// the interval does not contain 1. If all results are from one run, the run decides; if the others
// are over seeds and this is not, it is false.
func (c Contrast) Behind(repeated bool) bool {
	if c.Once() {
		return !repeated && c.Mean > 1+Tie
	}
	return c.Mean > 1+Tie && c.Low > 1
}

// Alike reports whether there is no significant difference: the mean is within Tie, and so is
// the whole interval, or else its width.
func (c Contrast) Alike(repeated bool) bool {
	const most = 1 + Tie
	within := c.Mean <= most && c.Mean >= 1/most
	if c.Once() {
		return !repeated && within
	}
	return within && (c.High <= most && c.Low >= 1/most || c.High <= c.Low*most)
}
