package calibrate

import (
	"testing"

	"weft/units"
)

// TestLargerSizesTakeLonger: a size that is too large to simulate takes longer than the largest simulated one, also if
// lost packets made a smaller size take longer than that. A time below zero has no probability.
func TestLargerSizesTakeLonger(t *testing.T) {
	task := &Task{simulated: []int64{32 * mib, 64 * mib}, Points: []Point{{Bytes: 32 * mib}, {Bytes: 8192 * mib}}}
	for _, last := range []units.Time{2 * units.Millisecond, units.Millisecond, units.Millisecond / 2} {
		times := task.compared([]units.Time{units.Millisecond, last})
		if times[0] != units.Millisecond || times[1] < 100*last {
			t.Errorf("with %v and %v for 32 and 64 MiB, 32 MiB and 8 GiB take %v", units.Millisecond, last, times)
		}
	}
}
