package pauses

import (
	"slices"
	"testing"

	"weft/units"
)

// TestATimelineOfPausesKeepsTheirTime notes pauses over slices and past the end of the timeline.
func TestATimelineOfPausesKeepsTheirTime(t *testing.T) {
	l := &Log{width: 10, causes: map[int32]int64{3: 500, 7: 900, 5: 500}}
	l.draw(15, 32)
	if got := l.slices[:4]; !slices.Equal(got, []units.Time{0, 5, 10, 2}) {
		t.Errorf("a pause from 15 to 32 is %v in slices of 10", got)
	}
	l.draw(1270, 1275)
	l.draw(1285, 1290) // 128 slices of 10 end at 1280
	sum := units.Time(0)
	for _, s := range l.slices {
		sum += s
	}
	if got := l.slices[:2]; l.width != 20 || !slices.Equal(got, []units.Time{5, 12}) || l.slices[64] != 5 {
		t.Errorf("slices of %v begin with %v and have %v from 1280 on: want 20, 5 and 12, and 5", l.width, got, l.slices[64])
	}
	if sum != 27 || l.paused != 27 {
		t.Errorf("the slices have %v, and %v were counted: want 27 both", sum, l.paused)
	}
	if got, want := l.sorted(), []Cause{{7, 900}, {3, 500}, {5, 500}}; !slices.Equal(got, want) {
		t.Errorf("the causes are %v, want %v", got, want)
	}
}
