package pattern

import (
	"fmt"
	"testing"

	"weft/internal/test/simtest"
)

// TestAnIncastHasAsManySendersAsItsFanIn counts the senders of each receiver: with few NICs
// receivers send to others too, none twice to the same NIC and none to itself.
func TestAnIncastHasAsManySendersAsItsFanIn(t *testing.T) {
	for _, c := range []struct{ nics, receivers, fanIn int }{{2, 1, 1}, {4, 2, 3}, {6, 2, 5}, {6, 6, 5}, {8, 3, 6}, {8, 8, 1}, {16, 1, 15}, {16, 2, 7}} {
		r := simtest.Resolve(t, fmt.Sprintf(`
cluster: {nodes: %d, node: {preset: dgx-h100, gpus: 1, nics: 1}}
topology: {shape: single-switch}
fabrics: [infiniband-ndr]
workload: {pattern: incast, receivers: %d, fan-in: %d, sizes: [1KiB]}`, c.nics, c.receivers, c.fanIn))
		for seed := range uint64(20) {
			r.Run.Seed = seed
			senders := make(map[int32]map[int32]bool)
			for _, f := range patternFlows(r, &r.Fabrics[0], 1024) {
				if senders[f.to] == nil {
					senders[f.to] = make(map[int32]bool)
				}
				if f.from == f.to || senders[f.to][f.from] {
					t.Errorf("%+v, seed %d: NIC %d sends to NIC %d for no reason", c, seed, f.from, f.to)
				}
				senders[f.to][f.from] = true
			}
			if len(senders) != c.receivers {
				t.Errorf("%+v, seed %d: %d receivers", c, seed, len(senders))
			}
			for to, from := range senders {
				if len(from) != c.fanIn {
					t.Errorf("%+v, seed %d: %d NICs send to NIC %d", c, seed, len(from), to)
				}
			}
		}
	}
}
