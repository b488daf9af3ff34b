package process

import (
	"strings"
	"testing"
	"time"

	"weft/internal/sim/runstore"
)

// Between two reports the time that is left falls with the clock, and past its end there is none.
func TestTheTimeLeftFallsBetweenReports(t *testing.T) {
	now := time.Unix(1000, 0)
	e := &Env{Now: func() time.Time { return now }}
	s := &Status{e: e, started: now}
	now = now.Add(10 * time.Second)
	s.Show(runstore.Progress{Left: 40}, "4 of 10")
	for _, c := range []struct {
		after time.Duration
		want  string
	}{{0, "4 of 10  about 40 s left"}, {25 * time.Second, "4 of 10  about 15 s left"}, {time.Minute, "4 of 10"}} {
		at := now
		now = now.Add(c.after)
		if got := s.line(); strings.TrimSpace(got) != c.want {
			t.Errorf("%v later the line is %q, want %q", c.after, got, c.want)
		}
		now = at
	}
}
