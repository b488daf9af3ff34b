package executor

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"weft/internal/sim/collective/nccl"
	"weft/internal/test/simtest"
	"weft/units"
)

// On the hardware that NCCL's constants describe, an operation of 8 bytes takes the time
// of NCCL's cost model: no software time is lost and none is counted twice. The sum of
// NCCL leaves out the last hop between nodes of one lap, and has LL's proxy in each: rings
// for which that makes a difference are left out.
func TestSmallOperationsTakeWhatNCCLReckons(t *testing.T) {
	for _, c := range []struct {
		nodes       int
		algo, proto string
	}{
		{1, "ring", "ll"},
		{1, "ring", "ll128"},
		{1, "ring", "simple"},
		{1, "tree", "ll"},
		{1, "tree", "simple"},
		{1, "nvls", "simple"},
		{2, "tree", "ll"},
		{2, "tree", "ll128"},
		{2, "nvls-tree", "simple"},
		{16, "ring", "ll128"},
		{16, "ring", "simple"},
		{16, "tree", "ll"},
		{16, "tree", "ll128"},
		{16, "tree", "simple"},
		{16, "nvls-tree", "simple"},
	} {
		t.Run(fmt.Sprintf("%d nodes, %s %s", c.nodes, c.algo, c.proto), func(t *testing.T) {
			r := simtest.Resolve(t, fmt.Sprintf(`
cluster: {nodes: %d, node: dgx-h100}
topology: {shape: rail-optimised}
fabrics: [infiniband-ndr]
nccl: {times: nccl}
workload: {collective: all-reduce, algorithm: %s, protocol: %s, sizes: [8B]}`, c.nodes, c.algo, c.proto))
			chosen, err := choose(r, &r.Fabrics[0], 8, r.Fabrics[0].IB.SHARP)
			if err != nil {
				t.Fatal(err)
			}
			got, want := carriedOut(t, r).Time, chosen.choice.Time
			if e := got.Seconds()/want.Seconds() - 1; math.Abs(e) > 0.02 {
				t.Errorf("weft takes %v, NCCL reckons with %v (%+.1f %%)", got, want, 100*e)
			}
		})
	}
}

// A large operation gets as close to the ceilings of LL and LL128 as its fill of
// the pipeline allows, and not beyond them.
func TestLargeOperationsKeepToTheCeilings(t *testing.T) {
	for _, c := range []struct {
		nodes              int
		algo, proto, bytes string
		busbw              float64 // GB/s
	}{
		{1, "ring", "ll", "256MiB", 141},
		{4, "ring", "ll", "64MiB", 20.4},
		{4, "tree", "ll", "64MiB", 20.4 * 62 / 64}, // twice the algorithm's bandwidth, not 2(n-1)/n of it
		{4, "ring", "ll128", "512MiB", 8 * 36.7},
		{4, "tree", "ll128", "512MiB", 8 * 29 * .85 * 62 / 64},
	} {
		t.Run(fmt.Sprintf("%d nodes, %s %s", c.nodes, c.algo, c.proto), func(t *testing.T) {
			out := carriedOut(t, simtest.Resolve(t, fmt.Sprintf(`
cluster: {nodes: %d, node: dgx-h100}
topology: {shape: fat-tree}
fabrics: [infiniband-ndr]
nccl: {times: nccl}
workload: {collective: all-reduce, algorithm: %s, protocol: %s, sizes: [%s]}`, c.nodes, c.algo, c.proto, c.bytes)))
			if got := out.BusBW; got > c.busbw || got < 0.85*c.busbw {
				t.Errorf("busbw %.1f GB/s, want no more than %.1f and no less than 85 %% of it", got, c.busbw)
			}
		})
	}
}

// The catalog has the hardware that NCCL's constants are assumed to describe.
func TestReferenceWireIsTheCatalogs(t *testing.T) {
	for node, want := range map[string]units.Time{"dgx-h100": nccl.ReferenceWire.NVLink, "l40s-8": nccl.ReferenceWire.PCI} {
		r := simtest.Resolve(t, "cluster: {nodes: 2, node: "+node+"}")
		if got := r.Cluster.Node.ScaleUp.Latency; got != want {
			t.Errorf("%s: the scale-up network has %v, NCCL's steps are taken to have %v", node, got, want)
		}
	}
}

func TestMessagesLeaveAtTheHostsPace(t *testing.T) {
	o := nccl.Overheads{Proxy: us, Fraction: 0.5, HostGBps: 1} // 2000 bytes of wire in a microsecond
	p := hostLimitsOf(&o, 2, 4)
	one, two := &proxy{}, &proxy{}
	for i, c := range []struct {
		rank      int
		thread    *proxy
		now, want units.Time
		bytes     int64
	}{
		{0, one, 0, us, 2000},
		{3, two, 0, 3 * us, 4000},        // the host of both is busy until 1 us
		{4, &proxy{}, 0, us, 2000},       // another host is not
		{0, one, 3 * us, 3*us + 1000, 2}, // both are idle again
		{0, one, 3 * us, 4*us + 1000, 2}, // the thread has posted the one before
	} {
		if got := p.leavesAt(c.rank, c.thread, c.now, c.bytes); got != c.want {
			t.Errorf("message %d leaves at %d ps, not %d", i, got, c.want)
		}
	}
}

// TestAProxyThreadServesAllConnections: the messages of two connections of a rank wait for each other,
// and with Simple also a message that has arrived. LL's kernels read the flags themselves.
func TestAProxyThreadServesAllConnections(t *testing.T) {
	text := "cluster: {nodes: 2, node: dgx-h100}\nfabrics: [infiniband-ndr]\nworkload: {collective: all-reduce, algorithm: ring, protocol: PROTO, sizes: [8B]}\n"
	for proto, tests := range map[string]bool{"simple": true, "ll": false, "ll128": false} {
		run := idleRun(t, strings.Replace(text, "PROTO", proto, 1))
		limits := &run.plan.Limits
		if limits.proxy != us/2 || limits.tests != tests {
			t.Errorf("%s: a message takes %v of the thread, and the kernel waits for it: %t", proto, limits.proxy, limits.tests)
		}
		h, seen := &run.hosts[0], us
		if tests {
			seen += us / 2
		}
		limits.leavesAt(0, h.proxy(0), us, 8)
		if got := h.proxy(0).seesAt(us, limits); got != seen {
			t.Errorf("%s: a message that arrives as another is posted is seen at %v, want %v", proto, got, seen)
		}
		if got := h.proxy(0).nextTurn(us, 0); got != 2*us {
			t.Errorf("%s: the thread is free at %v, want 2 us", proto, got)
		}
		if got := h.proxy(1).nextTurn(us, 0); got != us {
			t.Errorf("%s: the thread of another communicator is free at %v, want 1 us", proto, got)
		}
	}
}

// TestSlotsOfAMessage: a slice of a ring takes two of a connection's eight slots with Simple.
func TestSlotsOfAMessage(t *testing.T) {
	for _, c := range []struct {
		operation, algorithm, proto string
		ahead                       int
	}{
		{"all-reduce", "ring", "simple", 4},
		{"all-gather", "ring", "simple", 4},
		{"all-reduce", "ring", "ll128", 8},
		{"all-reduce", "tree", "simple", 8},
		{"broadcast", "ring", "simple", 8},
		{"send-recv", "direct", "simple", 8},
	} {
		run := idleRun(t, fmt.Sprintf("cluster: {nodes: 2, node: dgx-h100}\nfabrics: [infiniband-ndr]\nworkload: {collective: %s, algorithm: %s, protocol: %s, sizes: [1MiB]}\n", c.operation, c.algorithm, c.proto))
		if got := run.plan.Limits.maxInFlight(); got != c.ahead {
			t.Errorf("%s, %s %s: %d messages in flight, want %d", c.operation, c.algorithm, c.proto, got, c.ahead)
		}
	}
}
