package tune

import (
	"fmt"
	"math"

	"weft/scenario"
)

// plan divides the budget of simulations.
type plan struct {
	candidates int  // candidates for the search, each on all of its seeds
	all        bool // candidates are all combinations
	after      int  // simulations after the search
}

// planOf divides the budget: the scenario as it stands on all seeds, the tuned one on the held-out
// seeds, the sensitivity, and the rest for the search.
func planOf(t *scenario.Tune, axes []scenario.Axis) (plan, error) {
	proof := t.Seeds + 2*t.HeldOut
	profiles := 0
	for i := range axes {
		profiles += t.Seeds * (profileLength(&axes[i], t.Levels) + 1) // plus the original value
	}
	least := proof + profiles + leastSearch*t.Seeds
	if t.Runs < least {
		return plan{}, fmt.Errorf("tune.runs: %d simulations are too few: the scenario as it stands on %d seeds, %d for the proof on %d seeds held out, %d for the sensitivity and %d candidates on %d seeds are %d; give more runs, or fewer seeds, held-out or levels",
			t.Runs, t.Seeds, 2*t.HeldOut, t.HeldOut, profiles, leastSearch, t.Seeds, least)
	}
	p := plan{candidates: (t.Runs - proof - profiles) / t.Seeds, after: 2*t.HeldOut + profiles}
	if n := combinations(axes); n <= float64(p.candidates) {
		p.candidates, p.all = int(n), true
	}
	return p, nil
}

// combinations is the number of candidates: unbounded if an axis is a range.
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

// profileLength is the number of values of an axis in its sensitivity.
func profileLength(a *scenario.Axis, levels int) int {
	if a.Numeric() {
		return levels
	}
	return len(a.Values)
}
