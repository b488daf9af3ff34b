package measured_test

import (
	"testing"

	"weft/internal/study/measured"
	"weft/scenario"
)

// docs/VALIDATION.md has these means in its table of ranges ("between nodes").
func TestTheErrorBetweenNodesIsThatOfTheScoredTables(t *testing.T) {
	for _, c := range []struct {
		op    scenario.Collective
		bytes int64
		lo    float64
		hi    float64
	}{
		{scenario.AllReduce, 64 << 10, .08, .20},
		{scenario.AllReduce, 16 << 20, .10, .20},
		{scenario.AllGather, 16 << 20, .12, .24},
		{scenario.Broadcast, 16 << 20, .15, .28}, // no table has it: all operations
	} {
		if got := measured.ErrorBetweenNodes(c.op, c.bytes); got.Rows < 10 || got.Mean() < c.lo || got.Mean() > c.hi {
			t.Errorf("%s of %d B: %d rows, mean %.3f: want 10 rows at least and %g to %g", c.op, c.bytes, got.Rows, got.Mean(), c.lo, c.hi)
		}
	}
}
