package route_test

import (
	"testing"

	"weft/internal/base/topology"
	"weft/internal/ib/route"
)

// TestLoadsOfLargeFabricsAreNoWorseThanOpenSMs compares loads on fabrics above
// maxCompared, where weft does not compare its trees with OpenSM's while it grows them.
// AsOpenSM computes OpenSM's tables: the real one takes too long to bring up a thousand
// hosts. dfsssp has the same trees as sssp.
func TestLoadsOfLargeFabricsAreNoWorseThanOpenSMs(t *testing.T) {
	if testing.Short() {
		t.Skip("seconds")
	}
	for name, spec := range map[string]topology.Spec{
		"a fat tree of 1,024 hosts":   topology.KAry{K: 16},
		"a leaf-spine of 1,296 hosts": topology.TwoLevel{Endpoints: 1296, Radix: 72},
		"a torus of 864 hosts":        topology.Torus{Dims: []int{6, 6, 6}, SwitchEndpoints: 4},
		"a dragonfly of 640 hosts":    topology.Dragonfly{P: 4, A: 8, H: 4, Groups: 20},
	} {
		s := built(t, spec)
		osm, err := route.Compute(s, "sssp", route.Options{AsOpenSM: true})
		if err != nil {
			t.Fatal(err)
		}
		got, err := route.Compute(s, "sssp", route.Options{})
		if err != nil {
			t.Fatal(err)
		}
		compareLoads(t, name, check(t, s, got.Tables), check(t, s, osm.Tables))
	}
}
