package cli

import (
	"testing"

	"weft/internal/sim/runstore"
	"weft/internal/sim/scenario"
	"weft/units"
)

// A point without a result beats nothing, and a sweep that ended early leaves
// the sizes that it has not reached as they are.
func TestTheFastestOfEachSizeIsKept(t *testing.T) {
	const us = units.Microsecond
	best := []runstore.Point{{Algorithm: "ring", Time: 5 * us}, {Algorithm: "ring", Time: 5 * us}, {Algorithm: "ring", Time: 5 * us}}
	best = faster(best, []runstore.Point{{Algorithm: "tree", Time: 4 * us}, {Algorithm: "tree"}})
	for i, want := range []string{"tree", "ring", "ring"} {
		if best[i].Algorithm != want {
			t.Errorf("size %d: %s, not %s", i, best[i].Algorithm, want)
		}
	}
	rows := standings([]runstore.Point{{Bytes: 1 << 20, Algorithm: "ring", Wire: "LL", Time: 5 * us}}, best)
	if got := rows[1]; got[1] != "ring LL" || got[3] != "tree" || got[5] != "1.25" {
		t.Errorf("the row is %q", got)
	}
}

func TestReductionsInTheSwitchNeedOneThatCan(t *testing.T) {
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
