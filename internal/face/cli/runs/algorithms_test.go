package runs

import (
	"strings"
	"testing"

	"weft/internal/face/doc"
	"weft/results"
	"weft/scenario"
	"weft/units"
)

// A point without a result is never the fastest, and a sweep that ended early
// does not change the sizes that it did not reach.
func TestTheFastestOfEachSizeIsKept(t *testing.T) {
	const us = units.Microsecond
	best := []results.Point{{Algorithm: "ring", Time: 5 * us}, {Algorithm: "ring", Time: 5 * us}, {Algorithm: "ring", Time: 5 * us}}
	best = faster(best, []results.Point{{Algorithm: "tree", Time: 4 * us}, {Algorithm: "tree"}})
	for i, want := range []string{"tree", "ring", "ring"} {
		if best[i].Algorithm != want {
			t.Errorf("size %d: the fastest is %s, want %s", i, best[i].Algorithm, want)
		}
	}
	d := standings(&scenario.Resolved{Fabrics: make([]scenario.Fabric, 1)}, []results.Point{
		{Bytes: 1 << 20, Algorithm: "ring", Wire: "LL", Time: 5 * us}, {Bytes: 2 << 20, Algorithm: "ring", Time: 5 * us},
	}, best)
	var text strings.Builder
	if err := d.Terminal(&text, doc.Style{}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"fastest at 1 of 2 sizes, and takes at most 1.25 times", "1 MiB  ring LL        5.000 us  tree             4.000 us              1.25\n"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("there is no %q:\n%s", want, text.String())
		}
	}
}

func TestReductionInTheSwitchNeedsACapableSwitch(t *testing.T) {
	for _, c := range []struct {
		nodes     int
		multicast bool
		sharp     bool
		algo      scenario.Algorithm
		want      bool
	}{
		{1, true, false, scenario.AlgoNVLS, true},
		{2, true, false, scenario.AlgoNVLS, false},
		{2, true, true, scenario.AlgoNVLS, true},
		{2, true, false, scenario.AlgoNVLSTree, true},
		{1, true, false, scenario.AlgoNVLSTree, false},
		{2, false, false, scenario.AlgoNVLSTree, false},
		{2, false, true, scenario.AlgoCollNetDirect, true},
		{2, false, false, scenario.AlgoCollNetDirect, false},
		{1, false, true, scenario.AlgoCollNetDirect, false},
		{2, false, false, scenario.AlgoRing, true},
	} {
		r := &scenario.Resolved{Fabrics: make([]scenario.Fabric, 1)}
		r.Cluster.Nodes, r.Cluster.Node.ScaleUp.Multicast, r.Fabrics[0].IB.SHARP = c.nodes, c.multicast, c.sharp
		if got := takesPart(r, c.algo); got != c.want {
			t.Errorf("%s on %d nodes, multicast %t, sharp %t: %t", c.algo, c.nodes, c.multicast, c.sharp, got)
		}
	}
}
