package network_test

import (
	"testing"

	"weft/internal/test/runtest"
	"weft/internal/test/simtest"
)

// TestTrimmedPacketsGetThroughALargeIncast has 64 senders at one port: nearly all trimmed
// packets reach their receiver, because they go before full packets.
func TestTrimmedPacketsGetThroughALargeIncast(t *testing.T) {
	results := runtest.Run(t, simtest.Resolve(t, `
cluster: {nodes: 9, node: dgx-h100}
topology: {shape: single-switch, radix: 72}
fabrics: [{preset: ultra-ethernet-400g, switch: {ports: 72, max-ports: 72}}]
workload: {pattern: incast, fan-in: 64, sizes: [1MiB]}`), 1)
	c := &results.Fabrics[0].Points[0].Counts
	if c.Trimmed == 0 || 20*c.DroppedBuffer > c.Trimmed {
		t.Errorf("%d packets were trimmed and %d dropped, want some, and no more than one in twenty of these", c.Trimmed, c.DroppedBuffer)
	}
}
