package route_test

import (
	"errors"
	"testing"

	"weft/internal/base/topology"
	"weft/internal/ib/route"
	"weft/internal/test/routetest"
)

func TestDragonfliesAreProven(t *testing.T) {
	for _, spec := range []topology.Dragonfly{
		{P: 2, A: 4, H: 2},
		{P: 3, A: 8, H: 4, Groups: 5},
		{P: 2, A: 4, H: 1, Groups: 2},
	} {
		s := built(t, spec)
		for lmc := range uint8(3) {
			if err := s.AssignLIDs(lmc); err != nil {
				t.Fatal(err)
			}
			got, err := route.Compute(s, "dragonfly", route.Options{})
			if err != nil {
				t.Errorf("%+v, LMC %d: %v", spec, lmc, err)
				continue
			}
			p := check(t, s, got.Tables)
			if !p.Proven() {
				t.Errorf("%+v, LMC %d: %+v", spec, lmc, p)
			}
			longest := 4 // local, global, local, to the end
			if lmc > 0 && spec.Groups != 2 {
				longest = 6
			}
			if hops := len(p.Hops) - 1; hops > longest {
				t.Errorf("%+v, LMC %d: a path of %d hops", spec, lmc, hops)
			}
		}
	}
}

// OpenSM has no engine for dragonflies; it would use dfsssp.
func TestDragonflyLoadsAreNoWorseThanThoseOfOpenSMsDFSSSP(t *testing.T) {
	const fabric = "dragonfly-p2a4h2"
	s := routetest.Fabric(t, fabric)
	theirs := check(t, s, routetest.Tables(t, s, fabric, "sa-dfsssp", true))
	got, err := route.Compute(s, "dragonfly", route.Options{})
	if err != nil {
		t.Fatal(err)
	}
	ours := check(t, s, got.Tables)
	if !ours.Proven() || ours.Balance.Max > theirs.Balance.Max || got.Lanes != 2 {
		t.Errorf("%d lanes, %+v, OpenSM's %+v", got.Lanes, ours, theirs)
	}
}

func TestWhatIsNoDragonflyIsRefused(t *testing.T) {
	s := built(t, topology.Torus{Dims: []int{4, 4}, SwitchEndpoints: 1})
	_, err := route.Compute(s, "dragonfly", route.Options{})
	var refusal *route.Refusal
	if !errors.As(err, &refusal) {
		t.Errorf("a torus: %v", err)
	}
}
