package cores

import (
	"testing"
	"time"
)

// A crew that waits for more than half of its time goes on with one worker, and tries all again after a
// second, then after two; a crew that begins meanwhile begins with one.
func TestACrewThatWaitsGoesOnWithOneWorker(t *testing.T) {
	at := time.Unix(0, 0)
	now := func() time.Time { return at }
	var pool Lull
	c := &Crew{now: now, lull: &pool}
	if n := c.First(4); n != 4 {
		t.Errorf("the run begins with %d workers, want 4", n)
	}
	waited := time.Duration(0)
	step := func(d time.Duration, share float64, workers, want int) {
		t.Helper()
		at = at.Add(d)
		waited += time.Duration(share * float64(d) * float64(workers))
		if got := c.Want(workers, waited); got != want {
			t.Errorf("%v later, %.0f %% waited: %d workers of %d, want %d", d, 100*share, got, workers, want)
		}
	}
	step(0, 0, 4, 4)
	step(Stretch, 0.4, 4, 4)
	step(Stretch/2, 0.9, 4, 4) // too short to judge
	step(Stretch/2, 0.9, 4, 1)
	step(firstLull/2, 0, 1, 1)
	if n := (&Crew{now: now, lull: &pool}).First(3); n != 1 {
		t.Errorf("a run that begins in a lull has %d workers, want 1", n)
	}
	step(firstLull/2, 0, 1, 4)
	step(Stretch, 0.6, 4, 1)
	step(firstLull, 0, 1, 1)
	step(firstLull, 0, 1, 4)
	step(Stretch, 0.1, 4, 4)
	step(Stretch, 0.6, 4, 1)
	step(firstLull, 0, 1, 4) // the lull before was over
}
