package engine_test

import (
	"testing"

	"weft/internal/sim/engine"
	"weft/units"
)

// clockwork is a partition with an event each nanosecond. It notes the windows in which it
// runs, and gives cores away in some of them.
type clockwork struct {
	next    units.Time
	windows []uint64
	gives   map[uint64]int
	spare   *engine.Spare
	left    int // spare cores in the window looksAt
}

const looksAt = 100

func (c *clockwork) NextTime() units.Time   { return c.next }
func (c *clockwork) Sent(uint64) units.Time { return units.Forever }
func (c *clockwork) Collect(uint64)         {}
func (c *clockwork) Stopped() bool          { return false }
func (c *clockwork) Halt() units.Time       { return units.Forever }
func (c *clockwork) RunTo(limit units.Time, window uint64) {
	c.windows = append(c.windows, window)
	c.spare.Give(c.gives[window])
	if window == looksAt && c.gives != nil {
		c.left = take(c.spare)
		c.spare.Give(c.left)
	}
	for c.next < limit {
		c.next += units.Nanosecond
	}
}

// take takes all spare cores.
func take(spare *engine.Spare) (n int) {
	for spare.Take() {
		n++
	}
	return n
}

// A run takes cores that become spare from the next window on, runs every partition once
// in each window, and gives the cores back at its end.
func TestARunTakesSpareCoresBetweenWindows(t *testing.T) {
	const parts, windows = 3, 200
	var spare engine.Spare
	all := make([]engine.Partition, parts)
	for i := range all {
		c := &clockwork{spare: &spare}
		if i == 0 {
			c.gives = map[uint64]int{10: 1, 20: 1, 30: 1}
		}
		all[i] = c
	}
	engine.Run(all, engine.Windows{Lookahead: units.Nanosecond}, windows*units.Nanosecond, 1, &spare, nil)
	for i, p := range all {
		c := p.(*clockwork)
		if len(c.windows) != windows || c.windows[0] != 1 || c.windows[windows-1] != windows {
			t.Errorf("partition %d was run %d times, from window %d to %d: want once in each of %d", i, len(c.windows), c.windows[0], c.windows[len(c.windows)-1], windows)
		}
	}
	if left := all[0].(*clockwork).left; left != 1 {
		t.Errorf("in window %d %d of 3 cores are spare: want one, with a core for each of %d partitions", looksAt, left, parts)
	}
	if back := take(&spare); back != 3 {
		t.Errorf("%d of 3 cores are spare after the run", back)
	}
}
