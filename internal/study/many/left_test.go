package many

import (
	"testing"
	"time"
)

// Of seven short pieces one has taken a second, of four long ones one a minute.
func TestAPieceTakesAsLongAsThoseOfItsKind(t *testing.T) {
	var l Left[string]
	now := time.Now()
	left := func(after time.Duration, atOnce int, want time.Duration) {
		t.Helper()
		if got := l.Time(atOnce, now.Add(after)); got != want {
			t.Errorf("after %v of the piece that runs %v are left, want %v", after, got, want)
		}
	}
	run := func(kind string, took time.Duration) { l.End(l.Begin(kind, now), now.Add(took)) }
	l.Expect("short", 7)
	l.Expect("long", 4)
	left(0, 2, 0)
	run("short", time.Second)
	left(0, 1, 10*time.Second) // nothing is known of long ones
	run("long", time.Minute)
	left(0, 2, (6*time.Second+3*time.Minute)/2)
	l.Expect("long", -2) // they are not needed
	n := l.Begin("long", now)
	left(20*time.Second, 1, 6*time.Second+40*time.Second)
	left(20*time.Second, 8, 40*time.Second)   // the rest goes beside it
	left(100*time.Second, 8, 100*time.Second) // longer than its like: as long again
	l.Share(n, 0.75)
	left(90*time.Second, 8, 30*time.Second)
	l.End(n, now.Add(time.Minute))
	run("unexpected", time.Second)
	if ended, all := l.Count(); ended != 4 || all != 10 {
		t.Errorf("%d of %d pieces have ended, want 4 of 10", ended, all)
	}
}

// A piece of a kind that has not been seen takes as long for its work as the largest one that has.
func TestAPieceTakesAsLongAsItsWork(t *testing.T) {
	now := time.Now()
	l := Left[int]{Work: func(kind int) float64 { return float64(kind) }}
	l.Expect(1, 1)
	l.Expect(10, 1)
	l.Expect(100, 2)
	l.End(l.Begin(1, now), now.Add(time.Second)) // most of it is no work
	l.End(l.Begin(10, now), now.Add(2*time.Second))
	if left, want := l.Time(1, now), 40*time.Second; left != want {
		t.Errorf("%v are left, want %v", left, want)
	}
}
