package tune

import (
	"fmt"
	"math"

	"weft/internal/sim/scenario"
)

// plan is how a budget of simulations is spent.
type plan struct {
	candidates int  // that the search may simulate, each on all seeds of the search
	all        bool // candidates are every combination there is
}

// planOf shares the budget out: the scenario as it stands on all seeds, the
// outcome on those held out, the sensitivity, and the rest to the search.
func planOf(t *scenario.Tune, axes []scenario.Axis) (plan, error) {
	proof := t.Seeds + 2*t.HeldOut
	profiles := 0
	for i := range axes {
		profiles += t.Seeds * (profileLength(&axes[i], t.Levels) + 1) // and with what it stands at
	}
	least := proof + profiles + leastSearch*t.Seeds
	if t.Runs < least {
		return plan{}, fmt.Errorf("tune.runs: %d simulations are too few: the scenario as it stands on %d seeds, %d for the proof on %d seeds held out, %d for the sensitivity and %d candidates on %d seeds are %d; give more runs, or fewer seeds, held-out or levels",
			t.Runs, t.Seeds, 2*t.HeldOut, t.HeldOut, profiles, leastSearch, t.Seeds, least)
	}
	p := plan{candidates: (t.Runs - proof - profiles) / t.Seeds}
	if n := combinations(axes); n <= float64(p.candidates) {
		p.candidates, p.all = int(n), true
	}
	return p, nil
}

// combinations is how many candidates there are: without bound where an axis is a
// range.
func combinations(axes []scenario.Axis) float64 {
	n := 1.0
	for i := range axes {
		if axes[i].Numeric() {
			return math.Inf(1)
		}
		n *= float64(len(axes[i].Values))
	}
	return n
}

// profileLength is how many values of an axis its sensitivity is looked at by.
func profileLength(a *scenario.Axis, levels int) int {
	if a.Numeric() {
		return levels
	}
	return len(a.Values)
}
