package phases

import (
	"slices"
	"testing"

	"weft/internal/sim/workload"
	"weft/units"
)

// With another seed only the islands that depend on the seed are simulated again: the
// messages that collide, not the rings below one leaf.
func TestOnlyIslandsThatDependOnTheSeedAreSimulatedAgain(t *testing.T) {
	r, p := underLeaves(t, "12", "")
	phases := []workload.Phase{rails(12, 4, units.MiB), passes(12, 4), rails(12, 4, 2*units.MiB)}
	f := Fold(p, r, phases)
	runs := make([]*IslandRun, len(f.Islands))
	for i, own := range f.Islands {
		runs[i] = carried(t, p, r, &own.Phase)
	}
	other := *r
	other.Run.Seed++
	for _, own := range f.Again(p, &other, phases).Islands {
		known := own.Known(runs)
		if drawn := own.Phase.Kind == workload.Send; drawn != (known == nil) {
			t.Errorf("phase %d: known %v, drawn %v", own.home, known != nil, drawn)
		}
		if known == nil {
			continue
		}
		if stood := f.Islands[own.twin].Phase; !slices.EqualFunc(own.Phase.Groups, stood.Groups, slices.Equal) || !slices.Equal(own.Phase.Bytes, stood.Bytes) {
			t.Errorf("phase %d: %v is taken for %v", own.home, stood.Groups, own.Phase.Groups)
		}
		known.Counts.Marks++
		if own.Known(runs) != nil {
			t.Errorf("phase %d: an island with a mark depends on the seed, and is not simulated again", own.home)
		}
		known.Counts.Marks--
	}
}
