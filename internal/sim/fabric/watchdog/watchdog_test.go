package watchdog

import (
	"testing"

	"weft/units"
)

// A queue is in a storm when its head has not changed for the detection time, and restored when it was not
// paused for the restoration time, both counted in polls.
func TestAStormBeginsAndEndsAfterItsPolls(t *testing.T) {
	w := &Config{Detection: 300, Restoration: 200, Poll: 100, Action: Drop}
	var q Queue
	if !q.Pause(w) || q.Pause(w) {
		t.Fatal("a queue is polled from its first pause on")
	}
	for i, c := range []struct {
		paused bool
		head   int32
		came   units.Time
		want   Finding
		again  bool
	}{
		{true, 5, 10, Nothing, true},
		{true, 5, 10, Nothing, true},
		{true, 6, 20, Nothing, true}, // the head changes
		{true, 6, 20, Nothing, true},
		{true, 6, 20, Nothing, true},
		{true, 6, 20, Storm, true},
		{true, -1, 0, Nothing, true},
		{false, -1, 0, Nothing, true},
		{false, -1, 0, Restored, false},
	} {
		if got, again := q.Poll(w, c.paused, c.head, c.came); got != c.want || again != c.again {
			t.Errorf("poll %d finds %d and polls again: %v; want %d, %v", i+1, got, again, c.want, c.again)
		}
	}
	if next := w.NextPoll(1000, 30); next != 1030 {
		t.Errorf("the next poll after 1000 with a phase of 30 is at %v, want 1030", int64(next))
	}
}
