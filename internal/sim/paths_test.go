package sim_test

import (
	"fmt"
	"testing"

	"weft/internal/sim"
	"weft/units"
)

// shifted is four hosts of leaf0, each of which sends four messages to a host of leaf1, over four spines.
func shifted(t *testing.T, switches string) units.Time {
	t.Helper()
	flows := ""
	for from := range 4 {
		for range 4 {
			flows += fmt.Sprintf("{src: %d, dst: %d, bytes: 1MiB}, ", from, from+4)
		}
	}
	out, err := sim.Run(t.Context(), resolveIn(t, t.TempDir(), `
cluster: {nodes: 8, node: {preset: dgx-h100, gpus: 1, nics: 1}}
topology: {shape: fat-tree, levels: 2, radix: 8, spines: 4}
fabric: {preset: roce-v2-400g, routing: {mode: ecmp}, switches: [`+switches+`]}
workload: {pattern: flows, flows: [`+flows+`]}
`), sim.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return out.Fabrics[0].Points[0].Time
}

// TestFewerPathsTakeLonger: over one of four uplinks four hosts take as long as one cable does; over four, flows that meet take half of that. Spines of systems of their own are
// one path for a leaf that is not relaxed.
func TestFewerPathsTakeLonger(t *testing.T) {
	const systems = "{names: [leaf0], set: [routing.asn=65000]}, {names: [leaf1], set: [routing.asn=65001]}, {names: [spine0], set: [routing.asn=1]}, " +
		"{names: [spine1], set: [routing.asn=2]}, {names: [spine2], set: [routing.asn=3]}, {names: [spine3], set: [routing.asn=4]}"
	all := shifted(t, "")
	least := units.Time(16 * units.MiB * 8 * 1000 / 400) // at 400 Gb/s, in picoseconds: 16 MiB over one cable
	one := shifted(t, "{names: [leaf0], set: [routing.max-paths=1]}")
	if one < least || one < 3*all/2 {
		t.Errorf("over one path %v, over four %v; over one cable it takes at least %v", one, all, least)
	}
	if strict := shifted(t, systems); strict != one {
		t.Errorf("through one system %v, over the first path %v", strict, one)
	}
	if relaxed := shifted(t, systems+", {names: [leaf0], set: [routing.multipath-relax=true]}"); relaxed != all {
		t.Errorf("relaxed %v, over all paths %v", relaxed, all)
	}
	if elsewhere := shifted(t, "{names: [leaf1], set: [routing.max-paths=1]}"); elsewhere > 3*all/2 {
		t.Errorf("with one path of the other leaf, which sends acknowledgements alone, %v", elsewhere)
	}
}
