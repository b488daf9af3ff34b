package fabric

import (
	"math/rand/v2"
	"testing"

	"weft/units"
)

// The heap agrees with a list that is searched: in the first flow, and in that a flow is
// in it once, however often it is brought forward.
func TestTimersGiveTheEarliestFlowOnce(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	flows := make([]*flow, 40)
	for i := range flows {
		flows[i] = &flow{id: units.QPN(i), timer: -1, timerAt: units.Forever}
	}
	var h timers
	due := make(map[*flow]units.Time)
	for round := range 20_000 {
		if rng.IntN(3) > 0 || len(due) == 0 {
			f, at := flows[rng.IntN(len(flows))], units.Time(rng.IntN(50))
			if at < f.timerAt {
				h.set(f, at)
				due[f] = at
			}
		} else {
			want := timer{units.Forever, flows[0]}
			for f, at := range due {
				if own := (timer{at, f}); own.before(&want) {
					want = own
				}
			}
			at := h[0].at
			if got := h.pop(); got != want.flow || at != want.at {
				t.Fatalf("round %d: flow %d at %v is first, want flow %d at %v", round, got.id, at, want.flow.id, want.at)
			}
			delete(due, want.flow)
		}
		if len(h) != len(due) {
			t.Fatalf("round %d: %d timers of %d flows", round, len(h), len(due))
		}
		for _, f := range flows {
			at, ok := due[f]
			if !ok {
				at = units.Forever
			}
			if f.timerAt != at {
				t.Fatalf("round %d: flow %d has a timer at %v, want %v", round, f.id, f.timerAt, at)
			}
		}
	}
}
