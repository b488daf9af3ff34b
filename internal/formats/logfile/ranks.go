package logfile

import "math"

// RankRange is the range of rank numbers that fits a table's rows, both ends included. Most is 0 if
// the rows tell nothing: the operation has the same factor for any number.
type RankRange struct{ Least, Most int }

// Exact is the number of ranks if only one is possible.
func (r RankRange) Exact() (n int, ok bool) { return r.Least, r.Least == r.Most && r.Most > 0 }

// Allows reports whether n ranks can have printed the table.
func (r RankRange) Allows(n int) bool { return r.Most == 0 || n >= r.Least && n <= r.Most }

// unboundedRanks stands for no upper limit: printed with two decimals, the bandwidths of thousands
// of ranks are alike.
const unboundedRanks = math.MaxInt32

// Ranks is the number of ranks of a run of nccl-tests, by the ratio of bus bandwidth to algorithm
// bandwidth: 2(n-1)/n for an all-reduce, (n-1)/n for all-gather, reduce-scatter and all-to-all
// (doc/PERFORMANCE.md). Both are printed with two decimals, so each row gives a range; the result
// is the intersection of all rows. A table whose rows contradict one another gives Least > Most.
func (t *Table) Ranks() RankRange {
	var factor float64
	switch t.Op {
	case "all-reduce":
		factor = 2
	case "all-gather", "reduce-scatter", "all-to-all":
		factor = 1
	default:
		return RankRange{}
	}
	out := RankRange{2, unboundedRanks}
	const half = 0.005 // of the last decimal
	for i := range t.Rows {
		row := &t.Rows[i]
		if row.AlgGBps < 1 || row.BusGBps == 0 {
			continue
		}
		// ratio = factor(1 - 1/n), n = 1/(1 - ratio/factor)
		low := (row.BusGBps - half) / (row.AlgGBps + half) / factor
		high := (row.BusGBps + half) / (row.AlgGBps - half) / factor
		out.Least = max(out.Least, int(math.Ceil(1/(1-low)-1e-9)))
		if low >= 1 {
			out.Least = unboundedRanks
		}
		if high < 1 {
			out.Most = min(out.Most, int(math.Floor(min(1/(1-high)+1e-9, unboundedRanks))))
		}
	}
	if out == (RankRange{2, unboundedRanks}) {
		return RankRange{}
	}
	return out
}
