package report

import (
	"strings"
	"testing"

	"weft/internal/study/latency"
	"weft/units"
)

// perftest's quantiles of four given times.
func TestPerftestLine(t *testing.T) {
	m := &latency.Result{Bytes: 2}
	for _, us := range []units.Time{4, 1, 3, 2} {
		m.Trips = append(m.Trips, us*units.Microsecond)
	}
	p := m.PingPong()
	if p.Min != 1 || p.Max != 4 || p.Typical != 2.5 || p.Avg != 2.5 {
		t.Errorf("%+v", p)
	}
	if got := len(strings.Fields(perftestLine(m))); got != 9 {
		t.Errorf("a line has %d columns, want the 9 of perftest", got)
	}
}
