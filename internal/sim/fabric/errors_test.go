package fabric_test

import (
	"math"
	"testing"

	"weft/internal/base/topology"
	"weft/internal/sim/fabric"
	"weft/units"
)

// TestEveryLinkCorruptsItsShare compares the packets lost to corruption with the links
// that they cross, links between switches included: the sum is binomial.
func TestEveryLinkCorruptsItsShare(t *testing.T) {
	const rate = 1.0 / 256
	g, err := topology.KAry{K: 4}.Build()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"roce", "infiniband"} {
		app := &flows{}
		n, err := buildHarmed(g, name, nil, app, func(b *fabric.Builder) { b.ErrorRate = uint64(rate*(1<<32)) << 32 })
		if err != nil {
			t.Fatal(err)
		}
		if err := permutation(16, 4<<20)(app, n); err != nil {
			t.Fatal(err)
		}
		if err := n.Run(10*units.Second, 1, nil); err != nil {
			t.Fatal(err)
		}
		s := n.Stats()
		hops := float64(s.Hops)
		got, want := float64(s.Dropped[fabric.DropCorrupt]), hops*rate
		if sigma := math.Sqrt(hops * rate * (1 - rate)); math.Abs(got-want) > 5*sigma {
			t.Errorf("%s: %.0f of %.0f packets on links were corrupted, want %.0f ± %.0f", name, got, hops, want, sigma)
		}
	}
}
