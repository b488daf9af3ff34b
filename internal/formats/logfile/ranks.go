package logfile

import "math"

// RankRange is the numbers of ranks that a table's rows can come from, both ends
// included. Most is 0 where the rows say nothing: the operation has the same factor
// for any number.
type RankRange struct{ Least, Most int }

// Exact is the number of ranks where the rows leave one only.
func (r RankRange) Exact() (n int, ok bool) { return r.Least, r.Least == r.Most && r.Most > 0 }

// Allows reports whether n ranks can have printed the table.
func (r RankRange) Allows(n int) bool { return r.Most == 0 || n >= r.Least && n <= r.Most }

// unboundedRanks stands for any number above the least: printed with two decimals,
// the bandwidths of thousands of ranks are alike.
const unboundedRanks = math.MaxInt32

// Ranks is how many ranks took part in a run of nccl-tests, by the ratio of bus
// bandwidth to algorithm bandwidth: 2(n-1)/n of an all-reduce, (n-1)/n of
// all-gather, reduce-scatter and all-to-all (doc/PERFORMANCE.md). Both are printed
// with two decimals, so each row leaves a range; the table leaves what all of them
// leave. A table whose rows contradict one another leaves Least > Most.
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
		if row.AlgGBps < 1 {
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
