package measure_test

import (
	"strings"
	"testing"

	"weft/internal/test/runtest"
	"weft/internal/test/simtest"
)

// A permutation on a full leaf-spine gives every uplink the same share if each packet
// takes its own way, and some uplinks several whole flows if each flow keeps to one way.
// The spread over packets' ways depends on their phases: seeds 1 to 8 give 1.23 to 1.51
// times the mean, with a RETH on each packet or on the first.
func TestTheHottestLinkIsComparedWithItsTier(t *testing.T) {
	out := runtest.Run(t, simtest.Resolve(t, `
cluster: {nodes: 8, node: dgx-h100}
topology: {shape: fat-tree, levels: 2, radix: 16}
fabrics:
  - {preset: roce-v2-400g, name: spray, routing: {mode: spray}}
  - {preset: roce-v2-400g, name: ecmp}
  - {preset: roce-v2-400g, name: one switch, switch: {ports: 64, max-ports: 64}, topology: {shape: single-switch, radix: 64}}
workload: {pattern: permutation, sizes: [2MiB]}`), 2)
	for i, want := range []struct {
		tier        string
		least, most float64
	}{{"spine", 1, 1.6}, {"spine", 2, 8}, {"switch", 1, 1.01}} {
		f := out.Fabrics[i]
		h := f.Points[0].Hottest[0]
		if !strings.Contains(h.Tier, want.tier) || h.Spread() < want.least || h.Spread() > want.most {
			t.Errorf("%s: %s (%s) carries %.2f times the mean, want %g to %g and %s", f.Name, h.Name, h.Tier, h.Spread(), want.least, want.most, want.tier)
		}
		// A message has 2 MiB in packets of 4,096 bytes with 82 of headers, and its
		// acknowledgements go over other messages' links: a few percent.
		if carried := float64(h.Bytes) / (2 << 20) * 4096 / 4178; f.Name == "ecmp" && (carried < float64(len(h.Flows)) || carried > float64(len(h.Flows))*1.05) {
			t.Errorf("%s carries the bytes of %.2f messages, and %v go over it", h.Name, carried, h.Flows)
		}
		if f.Name == "spray" && h.Flows != nil {
			t.Errorf("%v go over %s, and every packet chooses anew", h.Flows, h.Name)
		}
		if h.Choice() == strings.Contains(h.Name, "nic") {
			t.Errorf("%s: whether %s is a choice of routing is %v", f.Name, h.Name, h.Choice())
		}
	}
}
