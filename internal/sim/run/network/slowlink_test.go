package network_test

import (
	"fmt"
	"testing"

	"weft/internal/test/runtest"
	"weft/units"
)

// TestASlowCableBoundsItsNICAlone sends a message to a NIC whose cable runs at a
// quarter of the fabric's rate, from it, and between two others.
func TestASlowCableBoundsItsNICAlone(t *testing.T) {
	const bytes = 16 << 20
	run := func(src, dst int, slow string) units.Time {
		return runtest.Point(t, fmt.Sprintf(`
cluster: {nodes: 4, node: {preset: dgx-h100, gpus: 1, nics: 1}}
topology: {shape: single-switch}
fabrics: [{preset: infiniband-ndr, slow-links: %s}]
workload: {pattern: flows, flows: [{src: %d, dst: %d, bytes: %dB}]}`, slow, src, dst, bytes)).Time
	}
	const slow = "[{nics: [node1], rate: 200Gbps}, {nics: ['node[1-1]/nic0'], rate: 100Gbps}]"
	full, to, from, others := run(0, 1, "[]"), run(0, 1, slow), run(1, 0, slow), run(2, 3, slow)
	for name, got := range map[string]units.Time{"to": to, "from": from} {
		if ratio := float64(got) / float64(full); ratio < 3.95 || ratio > 4.05 {
			t.Errorf("%s the NIC on a cable of a quarter of the rate: %v, %.3f times %v", name, got, ratio, full)
		}
	}
	if others != full {
		t.Errorf("between two other NICs: %v, want %v as without a slow cable", others, full)
	}
}
