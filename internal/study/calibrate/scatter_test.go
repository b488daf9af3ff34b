package calibrate

import (
	"fmt"
	"strings"
	"testing"
)

// Two measurements that differ by a factor speak for a fault that comes and goes; equal ones hardly
// against it.
func TestScatterIsTheFingerprintOfBursts(t *testing.T) {
	burst := func(apart float64) float64 {
		var b strings.Builder
		b.WriteString("# Collective test starting: all_reduce_perf\n")
		for _, bytes := range []int64{mib, 16 * mib, 64 * mib} {
			us := float64(bytes) / 1e5
			alg := func(us float64) float64 { return float64(bytes) / us / 1e3 }
			fmt.Fprintf(&b, "%d %d float sum -1 %.2f %.2f %.2f 0 %.2f %.2f %.2f 0\n", bytes, bytes/4, us, alg(us), alg(us)*1.875, us*apart, alg(us*apart), alg(us*apart)*1.875)
		}
		c := describe(t, "cluster: {nodes: 2, node: dgx-h100}\nfabric: infiniband-ndr")
		tasks, notes := c.Tasks(read(t, b.String())[0], Options{Nodes: 2})
		if len(tasks) != 1 {
			t.Fatal(notes)
		}
		return burstOf(tasks)
	}
	if got := burst(1.01); got != leastBurst {
		t.Errorf("even measurements: %g, want %d", got, leastBurst)
	}
	if got := burst(1.8); got < 5 {
		t.Errorf("measurements a factor of 1.8 apart: %g, want 5 and more", got)
	}
}
