package network_test

import (
	"testing"

	"weft/internal/sim/runtest"
	"weft/internal/sim/simtest"
	"weft/units"
)

// TestCNPsAreAPortsOrAQueuePairs has sixteen senders to one receiver, whose port sends a CNP
// every 4 us in all, or one for each queue pair.
func TestCNPsAreAPortsOrAQueuePairs(t *testing.T) {
	results := runtest.Run(t, simtest.Resolve(t, `
cluster: {nodes: 3, node: dgx-h100}
topology: {shape: single-switch}
fabrics:
  - {preset: roce-v2-400g}
  - {preset: roce-v2-400g, name: each, cc: {preset: dcqcn-firmware, cnp-scope: queue-pair}}
workload: {pattern: incast, fan-in: 16, sizes: [2MiB]}`), 1)
	port, each := &results.Fabrics[0].Points[0], &results.Fabrics[1].Points[0]
	const period = 4 * units.Microsecond
	if most := int64(port.Time/period) + 1; port.Counts.CNPs > most || port.Counts.CNPs < most/4 {
		t.Errorf("a port sent %d CNPs in %v, want no more than %d, and not far fewer", port.Counts.CNPs, port.Time, most)
	}
	if most := int64(each.Time/period) + 1; each.Counts.CNPs <= 2*most || each.Counts.CNPs > 16*most {
		t.Errorf("16 queue pairs drew %d CNPs in %v, want well over %d and no more than %d", each.Counts.CNPs, each.Time, most, 16*most)
	}
}
