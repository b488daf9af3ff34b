package executor_test

import (
	"fmt"
	"testing"

	"weft/internal/test/runtest"
	"weft/units"
)

// TestNCCLsFactorsScaleItsFigures compares an all-reduce of 8 bytes on one node of eight
// H100, with each factor doubled, with NCCL's own constants: a base of 6.6 us and 14 steps
// of 0.6 us, of which the wire is 0.3 us.
func TestNCCLsFactorsScaleItsFigures(t *testing.T) {
	run := func(nodes int, factors string, size string) units.Time {
		return runtest.Point(t, fmt.Sprintf(`
cluster: {nodes: %d, node: dgx-h100}
fabrics: [infiniband-ndr]
nccl: {times: nccl, %s}
workload: {collective: all-reduce, algorithm: ring, protocol: ll, sizes: [%s]}`, nodes, factors, size)).Time
	}
	plain := run(1, "", "8B")
	for factors, more := range map[string]units.Time{
		"base: 2":         6600 * units.Nanosecond,
		"step-local: 2":   14 * 300 * units.Nanosecond,
		"step-network: 2": 0,
		"proxy: 2":        0,
	} {
		if got := run(1, factors, "8B") - plain; got != more {
			t.Errorf("%s adds %v, want %v", factors, got, more)
		}
	}
	// The 30 steps between two nodes are two laps less two steps: each lap crosses the
	// network twice, at 2.7 us less a wire of 1.429 us.
	const dataPath = (2700 - 1429) * units.Nanosecond
	if got := run(2, "step-network: 2", "8B") - run(2, "", "8B"); got < 3*dataPath || got > 4*dataPath || got%dataPath != 0 {
		t.Errorf("step-network: 2 adds %v between nodes, want 3 or 4 times %v", got, dataPath)
	}
	if fast, slow := run(1, "", "64MiB"), run(1, "kernel: 1/2", "64MiB"); float64(slow) < 1.8*float64(fast) {
		t.Errorf("kernels of half the rate take %v for 64 MiB, want about twice %v", slow, fast)
	}
}
