package simulator

import (
	"testing"
	"time"

	"weft"
	"weft/internal/face/cli/process"
	"weft/results"
	"weft/scenario"
	"weft/units"
)

// The remaining time of a check is estimated from twice as many simulations, and events that were skipped are no
// speed.
func TestProgressOfACheck(t *testing.T) {
	e := New(&process.Env{Now: time.Now, StderrTerminal: true}, nil)
	e.Exact = weft.ExactCheck
	p := NewProgress(e, &scenario.Resolved{Fabrics: make([]scenario.Fabric, 2), Workload: scenario.Workload{Sizes: []units.Bytes{8, 1 << 20}}})
	if len(p.costs) != 8 || p.costs[0] != p.costs[3] || p.costs[4] != p.costs[7] || p.costs[3] >= p.costs[4] {
		t.Errorf("costs %v, want four small and four large", p.costs)
	}
	var s weft.Progress
	s.Simulated, s.Skipped = 3000, results.Skipped{Periods: 2, Time: 1000}
	if got := simulated(s); got != "simulated 3 ns, of which skipped 1 ns (periods: 2)" {
		t.Error(got)
	}
}

func TestTimeLeftWeighsSizes(t *testing.T) {
	p := &Progress{Status: &process.Status{}, costs: []float64{30, 10, 10}}
	for _, c := range []struct {
		done, total int
		elapsed     time.Duration
		want        time.Duration // 0: unknown
	}{
		{1, 3, 3 * time.Second, 2 * time.Second},
		{2, 3, 8 * time.Second, 2 * time.Second},
		{0, 3, 8 * time.Second, 0},
		{1, 3, time.Second, 0}, // too early to say
		{3, 3, 8 * time.Second, 0},
	} {
		if got := p.left(weft.Progress{Done: c.done, Total: c.total}, c.elapsed); got != c.want {
			t.Errorf("%d of %d after %v: %v left, want %v", c.done, c.total, c.elapsed, got, c.want)
		}
	}
}

// The estimate decreases during a long simulation.
func TestTimeLeftFallsWhileOneSimulationRuns(t *testing.T) {
	p := &Progress{Status: &process.Status{}, costs: []float64{10, 10, 60}}
	for _, c := range []struct {
		elapsed, want time.Duration
	}{{4 * time.Second, 12 * time.Second}, {9 * time.Second, 7 * time.Second}, {20 * time.Second, 0}} {
		if got := p.left(weft.Progress{Done: 2, Total: 3}, c.elapsed); got != c.want {
			t.Errorf("after %v: %v left, want %v", c.elapsed, got, c.want)
		}
	}
}
