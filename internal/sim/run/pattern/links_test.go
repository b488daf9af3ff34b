package pattern_test

import (
	"slices"
	"testing"

	"weft/internal/test/runtest"
)

// The cables of an incast's NICs have their messages whatever the routing; links between switches have them if each
// message keeps to one path. The receiver posts a READ, and the data goes the same way.
func TestTheLinksOfAnIncastHaveItsMessages(t *testing.T) {
	for name, c := range map[string]struct {
		fabric string
		links  bool // between switches have messages
	}{
		"hashed":   {"roce-v2-400g", true},
		"adaptive": {"{preset: infiniband-ndr, routing: {mode: adaptive}}", false},
	} {
		for _, op := range []string{"write", "read"} {
			p := runtest.Point(t, `
cluster: {nodes: 4, node: {preset: dgx-h100, gpus: 1, nics: 1}}
topology: {shape: fat-tree, levels: 2, radix: 4}
fabrics: [`+c.fabric+`]
workload: {pattern: flows, operation: `+op+`, flows: [{src: 0, dst: 3, bytes: 1MiB}, {src: 1, dst: 3, bytes: 1MiB}, {src: 2, dst: 3, bytes: 1MiB}]}`)
			for _, h := range p.Hottest {
				if h.Bytes < 1<<20 {
					continue // answers
				}
				want := c.links || !h.Choice()
				if got := len(h.Flows) > 0; got != want || h.Sprayed == want {
					t.Errorf("%s, %s: %s (%s) has the messages %q, sprayed %v", name, op, h.Name, h.Tier, h.Flows, h.Sprayed)
				}
				if h.Tier == "leaf to NIC" && (len(h.Flows) != 3 || !slices.Contains(h.Flows, "node0/nic0 to node3/nic0")) {
					t.Errorf("%s, %s: %s has the messages %q, want all three", name, op, h.Name, h.Flows)
				}
			}
		}
	}
}
