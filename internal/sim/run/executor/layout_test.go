package executor_test

import (
	"strings"
	"testing"

	"weft/internal/test/runtest"
	"weft/internal/test/simtest"
	"weft/units"
)

// TestEveryCollectiveFinishesOnEveryFabric runs each operation with each
// algorithm that it has.
func TestEveryCollectiveFinishesOnEveryFabric(t *testing.T) {
	algorithms := map[string]string{
		"all-reduce":     "auto ring tree hierarchical halving-doubling nvls-tree",
		"all-gather":     "auto ring hierarchical",
		"reduce-scatter": "auto ring hierarchical",
		"broadcast":      "auto ring tree",
		"reduce":         "auto ring",
		"scatter":        "auto",
		"gather":         "auto direct",
		"all-to-all":     "auto direct",
		"send-recv":      "auto",
	}
	for op, algos := range algorithms {
		for _, algo := range strings.Fields(algos) {
			t.Run(op+"/"+algo, func(t *testing.T) {
				out := runtest.Run(t, simtest.Resolve(t, `
cluster: {nodes: 3, node: dgx-h100}
workload: {collective: `+op+`, algorithm: `+algo+`, sizes: [8B, 1000000B]}`+simtest.AllFabrics), 2)
				for _, f := range out.Fabrics {
					for _, p := range f.Points {
						if p.Time <= 0 || p.Counts.Drops() > 0 {
							t.Errorf("%s, %d bytes: %v, %d drops", f.Name, p.Bytes, p.Time, p.Counts.Drops())
						}
					}
				}
			})
		}
	}
}

// TestTheHarnessIsPartOfTheTime has a small all-reduce as each harness reports it.
func TestTheHarnessIsPartOfTheTime(t *testing.T) {
	times := make(map[string]units.Time)
	for _, harness := range []string{"process", "thread", "for-all", "for-all, per-thread: 2", "torch"} {
		out := runtest.Run(t, simtest.Resolve(t, `
cluster: {nodes: 1, node: dgx-h100}
nccl: {harness: `+harness+`}
workload: {collective: all-reduce, sizes: [8B]}`), 2)
		times[harness] = out.Fabrics[0].Points[0].Time
	}
	for harness, want := range map[string]units.Time{
		"thread":                 times["process"],
		"for-all":                33310 * units.Nanosecond, // 1.63 + 8 · 3.96 us
		"for-all, per-thread: 2": times["process"],         // longer than 1.63 + 2 · 3.96 us
		"torch":                  39 * units.Microsecond,
	} {
		if times[harness] != want {
			t.Errorf("harness %s: %v, want %v; with a process for each GPU %v", harness, times[harness], want, times["process"])
		}
	}
}

// TestEFAsNICsShareMessages has 16 channels on 32 NICs: a stripe of four carries a large message of a
// channel, so that a ring is faster than half of the NICs.
func TestEFAsNICsShareMessages(t *testing.T) {
	out := runtest.Run(t, simtest.Resolve(t, `
cluster: {nodes: 2, node: {preset: dgx-h100, nics: 32}}
fabrics: [efa-100g]
workload: {collective: all-gather, algorithm: ring, protocol: simple, sizes: [256MiB]}`), 2)
	p := out.Fabrics[0].Points[0]
	const half = 16 * 12.5 // GB/s
	if p.Channels != 16 || p.BusBW < 1.2*half || p.BusBW > 2*half {
		t.Errorf("%d channels reach %.1f GB/s, want 16 and between %.0f and %.0f", p.Channels, p.BusBW, 1.2*half, 2*half)
	}
}

// TestNoCollectiveBeatsItsBound compares the bus bandwidth of rings between nodes with
// the NICs' rate: nothing may be faster than the wire.
func TestNoCollectiveBeatsItsBound(t *testing.T) {
	out := runtest.Run(t, simtest.Resolve(t, `
cluster: {nodes: 4, node: dgx-h100}
fabrics: [infiniband-ndr, roce-v2-400g]
nccl: {times: nccl} # whose rings have no bound but the wire
workload: {collective: all-reduce, algorithm: ring, protocol: simple, sizes: [256MiB]}`), 2)
	for _, f := range out.Fabrics {
		const wire = 8 * 50.0 // GB/s of eight NICs
		if got := f.Points[0].BusBW; got > wire || got < 0.85*wire {
			t.Errorf("%s: busbw %.1f GB/s, want below the NICs' %.0f and above 85 %% of it", f.Name, got, wire)
		}
	}
}

// TestSplitMessagesSpreadOverQueuePairs splits messages over four queue pairs on
// an ECMP fabric, and expects them to arrive whole and sooner than on one.
func TestSplitMessagesSpreadOverQueuePairs(t *testing.T) {
	out := runtest.Run(t, simtest.Resolve(t, `
cluster: {nodes: 8, node: dgx-h100}
topology: {shape: fat-tree, levels: 2, radix: 16}
fabrics:
  - {preset: roce-v2-400g, name: one}
  - {preset: roce-v2-400g, name: split, transport: {qps-per-connection: 8, split-data: true}}
workload: {collective: all-to-all, sizes: [16MiB]}`), 2)
	one, split := out.Fabrics[0].Points[0], out.Fabrics[1].Points[0]
	if split.Time >= one.Time || split.Flows.N != one.Flows.N {
		t.Errorf("split over eight: %v and %d messages, on one: %v and %d", split.Time, split.Flows.N, one.Time, one.Flows.N)
	}
}
