package network_test

import (
	"testing"

	"weft/internal/test/runtest"
	"weft/internal/test/simtest"
)

// A flow whose packets follow closely keeps its port, whatever other flows share its slot: no packet
// overtakes another, so that the receiver asks for none again. The spines have eight cables to each leaf,
// and thousands of flows.
func TestFlowletsKeepTheOrderOfPackets(t *testing.T) {
	out := runtest.Run(t, simtest.Resolve(t, `
cluster: {nodes: 8, node: hgx-a100-100g}
topology: {shape: fat-tree, levels: 2, radix: 32}
fabrics: [{preset: roce-v2-100g, routing: {mode: flowlet}}]
workload: {collective: all-to-all, sizes: [4MiB]}`), 2)
	if c := out.Fabrics[0].Points[0].Counts; c.Retransmissions > 0 || c.Drops() > 0 {
		t.Errorf("%d packets are sent again, %d are dropped", c.Retransmissions, c.Drops())
	}
}
