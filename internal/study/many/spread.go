package many

import (
	"slices"

	"weft/internal/base/stats"
	"weft/results"
)

// SpreadOf is the spread of times in picoseconds over seeds. The interval is cut off at 0.
func SpreadOf(times []int64) results.Spread {
	x := make([]float64, len(times))
	for i, t := range times {
		x[i] = float64(t)
	}
	mean := stats.IntervalOf(x)
	return results.Spread{
		MeanPs: int64(mean.Mean), LowPs: int64(max(0, mean.Low)), HighPs: int64(mean.High),
		LeastPs: slices.Min(times), MostPs: slices.Max(times),
	}
}

// ShareSpreadOf is the spread of shares over seeds. The interval is cut off at 0 and at 1.
func ShareSpreadOf(x []float64) results.ShareSpread {
	mean := stats.IntervalOf(x)
	return results.ShareSpread{
		Mean: mean.Mean, Low: max(0, mean.Low), High: min(1, mean.High),
		Least: slices.Min(x), Most: slices.Max(x),
	}
}
