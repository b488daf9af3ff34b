package simulator

import (
	"testing"
	"time"

	"weft"
	"weft/internal/face/cli/process"
	"weft/results"
)

// Events that were skipped are no speed.
func TestProgressOfSkippedEvents(t *testing.T) {
	var s weft.Progress
	s.Simulated, s.Skipped = 3000, results.Skipped{Periods: 2, Time: 1000}
	if got := simulated(s); got != "simulated 3 ns, of which skipped 1 ns (periods: 2)" {
		t.Error(got)
	}
}

func TestTimeLeftFollowsTheShareOfTheWork(t *testing.T) {
	p := &Progress{Status: &process.Status{}}
	for _, c := range []struct {
		share   float64
		elapsed time.Duration
		want    time.Duration // 0: unknown
	}{
		{0.6, time.Second, 0},     // too early to say
		{0.6, 3 * time.Second, 0}, // of the time of the share above, which was too early
		{0.75, 6 * time.Second, 2 * time.Second},
		{0.75, 7 * time.Second, time.Second},      // it decreases while the share stays
		{0.75, 9 * time.Second, 0},                // past its end nothing is known
		{0.5, 10 * time.Second, 10 * time.Second}, // there is more work than was known
		{1, 12 * time.Second, 0},
		{0.01, 20 * time.Second, 0},               // the work begins anew
		{0.34, 21 * time.Second, 0},               // too early again
		{0.34, 23 * time.Second, 0},               // of the time of the share above
		{0.67, 24 * time.Second, 2 * time.Second}, // 0.66 of it took 4 s
	} {
		if got := p.left(weft.Progress{Share: c.share}, c.elapsed); got != c.want {
			t.Errorf("%v of the work after %v: %v left, want %v", c.share, c.elapsed, got, c.want)
		}
	}
}
