package many

import (
	"testing"

	"weft/internal/sim"
)

// The share of the work follows the weights of the simulations; those whose results were known are no work.
func TestTheShareOfTheWorkFollowsItsWeights(t *testing.T) {
	var last sim.Progress
	tally := NewTally(4, func(p sim.Progress) { last = p })
	tally.Weigh(func(number int) float64 { return []float64{1, 2, 5, 92}[number] })
	for _, step := range []struct {
		number int
		known  bool
		want   float64
	}{{0, false, 0.01}, {3, true, 1. / 8}, {1, false, 3. / 8}, {2, false, 1}} {
		tally.Ended(step.number, "f", step.known)
		if d := last.Share - step.want; d > 1e-12 || d < -1e-12 {
			t.Errorf("after %d of 4 the share is %v, want %v", last.Done, last.Share, step.want)
		}
	}
	parted := NewTally(2, func(p sim.Progress) { last = p })
	parted.Weigh(func(int) float64 { return 1 })
	parted.Share(0, "f", 0.5)
	if last.Share != 0.25 {
		t.Errorf("after half of the first of 2 the share is %v, want 0.25", last.Share)
	}
	if parted.Ended(0, "f", false); last.Share != 0.5 {
		t.Errorf("after the first of 2 the share is %v, want 0.5", last.Share)
	}
	if number := parted.More(2); number != 2 { // as much as both
		t.Errorf("a third simulation has the number %d, want 2", number)
	}
	if parted.Ended(1, "f", false); last.Share != 0.5 || last.Total != 3 {
		t.Errorf("after 2 of 3 the share is %v of %d, want 0.5 of 3", last.Share, last.Total)
	}
	if parted.Ended(2, "f", false); last.Share != 1 {
		t.Errorf("at the end the share is %v, want 1", last.Share)
	}
	plain := NewTally(2, func(p sim.Progress) { last = p })
	if plain.Ended(0, "f", false); last.Share != 0 {
		t.Errorf("without weights the share is %v, want none", last.Share)
	}
}
