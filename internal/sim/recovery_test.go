package sim

import (
	"testing"

	"weft/internal/sim/simtest"
)

// TestSelectiveRepeatSendsWhatWasLost corrupts packets of a permutation on both
// fabrics. A packet that is lost is sent again once, where go-back-N sends
// everything behind it, too; the network loses no credits and nothing stands still.
func TestSelectiveRepeatSendsWhatWasLost(t *testing.T) {
	for _, fabric := range []string{"roce-v2-400g", "infiniband-ndr"} {
		for _, rate := range []string{"0.1%", "1%"} {
			common := "{preset: " + fabric + ", cc: none, routing: {mode: deterministic}, link: {error-rate: " + rate + "}, transport: {timeout: 1ms, window: 256KiB"
			results := run(t, simtest.Resolve(t, `
cluster: {nodes: 2, node: dgx-h100}
topology: {shape: single-switch}
fabrics:
  - `+common+`}, name: back}
  - `+common+`, recovery: selective-repeat}, name: selective}
workload: {pattern: permutation, sizes: [4MiB]}`), 1)
			back, selective := &results.Fabrics[0].Points[0], &results.Fabrics[1].Points[0]
			b, s := &back.Counts, &selective.Counts
			if s.DroppedCorrupt == 0 || s.Drops() != s.DroppedCorrupt {
				t.Errorf("%s at %s: %d packets corrupted of %d dropped, want all and some", fabric, rate, s.DroppedCorrupt, s.Drops())
			}
			if s.Retransmissions > s.DroppedCorrupt {
				t.Errorf("%s at %s: selective repeat sent %d packets again and %d were lost", fabric, rate, s.Retransmissions, s.DroppedCorrupt)
			}
			if b.Retransmissions < 4*s.Retransmissions || back.Time <= selective.Time {
				t.Errorf("%s at %s: go-back-N sent %d again and took %d, selective repeat %d and %d: want much less of both",
					fabric, rate, b.Retransmissions, back.Time, s.Retransmissions, selective.Time)
			}
		}
	}
}
