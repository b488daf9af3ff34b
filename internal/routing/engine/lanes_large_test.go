package engine_test

import (
	"testing"

	"weft/internal/routing/engine"
	"weft/internal/topology"
)

// TestLoadsOfLargeFabricsAreNoWorseThanThoseOfTheRealOpenSM does the same where
// weft's trees are not compared with OpenSM's while they are grown.
func TestLoadsOfLargeFabricsAreNoWorseThanThoseOfTheRealOpenSM(t *testing.T) {
	needOpenSM(t)
	for name, c := range map[string]struct {
		e    engine.Name
		spec topology.Spec
	}{
		"a fat tree of 1,024 hosts": {"dfsssp", topology.KAry{K: 16}},
		"a torus of 864 hosts":      {"sssp", topology.Torus{Dims: []int{6, 6, 6}, SwitchEndpoints: 4}},
	} {
		s := built(t, c.spec)
		osm := bringUp(t, s, "-R", string(c.e), "-Q")
		if osm.used != string(c.e) {
			t.Errorf("%s: OpenSM uses %s, not %s", name, osm.used, c.e)
			continue
		}
		got, err := engine.Route(s, c.e, engine.Options{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		compareLoads(t, name+", "+string(c.e), check(t, s, got.Tables), check(t, s, osm.tables(s)))
	}
}
