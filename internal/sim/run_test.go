package sim_test

import (
	"context"
	"strings"
	"testing"

	"weft/internal/sim"
	"weft/internal/test/runtest"
	"weft/internal/test/simtest"
)

// TestResultsDoNotDependOnCores runs collectives and patterns on one, two and
// three cores, which also cuts a pattern's network into as many partitions, and
// twice with one seed.
func TestResultsDoNotDependOnCores(t *testing.T) {
	for name, text := range map[string]string{
		"collective": `
cluster: {nodes: 4, node: dgx-h100}
workload: {collective: all-reduce, sizes: [8KiB, 4MiB]}` + simtest.AllFabrics,
		"permutation": `
cluster: {nodes: 16, node: dgx-h100}
topology: {shape: fat-tree, levels: 2, radix: 16}
fabrics: [{preset: infiniband-ndr, routing: {mode: adaptive}}]
workload: {pattern: permutation, sizes: [256KiB]}`,
		"incast": `
cluster: {nodes: 16, node: dgx-h100}
topology: {shape: fat-tree, levels: 2, radix: 16}
fabrics: [roce-v2-400g]
workload: {pattern: incast, fan-in: 40, receivers: 2, sizes: [256KiB]}`,
		"lossy links": `
cluster: {nodes: 16, node: dgx-h100}
topology: {shape: fat-tree, levels: 2, radix: 16}
fabrics:
  - {preset: roce-v2-400g, link: {error-rate: 0.5%}, transport: {timeout: 100us, recovery: selective-repeat}}
  - {preset: infiniband-ndr, link: {error-rate: 0.5%}, transport: {timeout: 100us}, routing: {mode: deterministic}}
workload: {pattern: permutation, sizes: [64KiB]}`,
		"congestion controls": `
cluster: {nodes: 16, node: dgx-h100}
topology: {shape: fat-tree, levels: 2, radix: 16}
fabrics:
  - {preset: roce-v2-400g, name: timely, cc: timely}
  - {preset: roce-v2-400g, name: swift, cc: swift}
  - {preset: roce-v2-400g, name: hpcc, cc: hpcc}
  - {preset: infiniband-ndr, name: ib-cc, cc: ib-cc}
workload: {pattern: incast, fan-in: 40, receivers: 2, sizes: [128KiB]}`,
		"ultra ethernet": `
cluster: {nodes: 16, node: dgx-h100}
topology: {shape: fat-tree, levels: 2, radix: 16}
fabrics:
  - ultra-ethernet-400g
  - {preset: ultra-ethernet-400g, name: corrupted, link: {error-rate: 0.5%}}
workload: {pattern: incast, fan-in: 40, receivers: 2, sizes: [128KiB]}`,
		"reads": `
cluster: {nodes: 16, node: dgx-h100}
topology: {shape: fat-tree, levels: 2, radix: 16}
fabrics: [roce-v2-400g, infiniband-ndr]
workload: {pattern: uniform, operation: read, load: 80%, duration: 20us, sizes: [100KB]}`,
		"datagrams with few receives": `
cluster: {nodes: 16, node: dgx-h100}
topology: {shape: fat-tree, levels: 2, radix: 16}
fabrics: [{preset: roce-v2-400g, switch: {buffer: 256KiB}, ethernet: {pfc: {enabled: false}, ecn: {enabled: false}}}]
workload: {pattern: uniform, transport: ud, load: 1, duration: 20us, receive-queue: 2, repost: 1us, sizes: [4KiB]}`,
	} {
		t.Run(name, func(t *testing.T) {
			r := simtest.Resolve(t, text)
			if _, err := runtest.SameOnCores(t, r, 1, 1, 2, 3); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestALimitIsNotASenderThatWaits ends a run by its limit twice: while packets move, and
// while the sender of a lost packet waits for its timeout.
func TestALimitIsNotASenderThatWaits(t *testing.T) {
	const lossy = "{preset: roce-v2-400g, cc: none, transport: {retransmission: fixed}, switch: {buffer: 16MiB}, ethernet: {ecn: {enabled: false}, pfc: {enabled: false}}}"
	for _, c := range []struct{ name, fabric, limit, want, not string }{
		{"moving", "roce-v2-400g", "60us", "packets wait at", "retransmission"},
		{"lost", lossy, "20ms", "no packet waits in the network; 23 senders wait for their retransmission timeouts, without a packet in the network: node", "packets wait at"},
	} {
		_, err := sim.Run(t.Context(), simtest.Resolve(t, `
cluster: {nodes: 4, node: dgx-h100}
topology: {shape: single-switch}
fabrics: [`+c.fabric+`]
workload: {pattern: incast, fan-in: 24, sizes: [1MiB]}
run: {limit: {simulated-time: `+c.limit+`}}`), sim.Options{})
		if err == nil {
			t.Fatalf("%s: the run ended before its limit", c.name)
		}
		for _, want := range []string{"the limit of " + c.limit[:2], "(run.limit.simulated-time) was reached", c.want} {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: no %q in %v", c.name, want, err)
			}
		}
		if strings.Contains(err.Error(), c.not) {
			t.Errorf("%s: %q in %v", c.name, c.not, err)
		}
	}
}

// TestCancelKeepsWhatIsDone stops a run after its first simulation.
func TestCancelKeepsWhatIsDone(t *testing.T) {
	r := simtest.Resolve(t, `
cluster: {nodes: 2, node: dgx-h100}
fabrics: [infiniband-ndr]
workload: {collective: all-reduce, sizes: [8B, 1KiB, 1MiB, 64MiB]}`)
	ctx, cancel := context.WithCancel(context.Background())
	out, err := sim.Run(ctx, r, sim.Options{Workers: 1, Progress: func(p sim.Progress) {
		if p.Done > 0 {
			cancel()
		}
	}})
	if err == nil || out == nil || !out.Partial {
		t.Fatalf("got %v and error %v, want partial results and the context's error", out, err)
	}
	done := 0
	for _, p := range out.Fabrics[0].Points {
		if !p.Partial {
			done++
		}
	}
	if done != 1 {
		t.Errorf("%d points are complete, want the finished one", done)
	}
}
