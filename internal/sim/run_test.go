package sim

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"weft/internal/sim/runstore"
	"weft/internal/sim/scenario"
	"weft/internal/sim/simtest"
)

func run(t *testing.T, r *scenario.Resolved, workers int) *runstore.Results {
	t.Helper()
	out, err := Run(context.Background(), r, Options{Workers: workers})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// sameOnCores runs a scenario on as many cores as said, one after the other, and wants
// the same bytes of all.
func sameOnCores(t *testing.T, r *scenario.Resolved, cores ...int) {
	t.Helper()
	var want []byte
	for _, workers := range cores {
		got, err := json.Marshal(run(t, r, workers))
		if err != nil {
			t.Fatal(err)
		}
		if want == nil {
			want = got
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%d cores:\n%s\n%d cores:\n%s", workers, got, cores[0], want)
		}
	}
}

const allFabrics = `
fabrics: [infiniband-ndr, roce-v2-400g, {preset: roce-v2-400g, name: spray, routing: {mode: spray}}, tcp-400g]
`

// TestResultsDoNotDependOnCores runs collectives and patterns on one, two and
// three cores, which also cuts a pattern's network into as many partitions, and
// twice with one seed.
func TestResultsDoNotDependOnCores(t *testing.T) {
	for name, text := range map[string]string{
		"collective": `
cluster: {nodes: 4, node: dgx-h100}
workload: {collective: all-reduce, sizes: [8KiB, 4MiB]}` + allFabrics,
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
			sameOnCores(t, r, 1, 1, 2, 3)
		})
	}
}

// TestEveryCollectiveFinishesOnEveryFabric runs each operation with each
// algorithm that it has.
func TestEveryCollectiveFinishesOnEveryFabric(t *testing.T) {
	algorithms := map[string]string{
		"all-reduce":     "auto ring tree hierarchical halving-doubling nvls-tree",
		"all-gather":     "auto ring hierarchical",
		"reduce-scatter": "auto ring hierarchical",
		"broadcast":      "auto ring tree",
		"all-to-all":     "auto direct",
		"send-recv":      "auto",
	}
	for op, algos := range algorithms {
		for _, algo := range strings.Fields(algos) {
			t.Run(op+"/"+algo, func(t *testing.T) {
				out := run(t, simtest.Resolve(t, `
cluster: {nodes: 3, node: dgx-h100}
workload: {collective: `+op+`, algorithm: `+algo+`, sizes: [8B, 1000000B]}`+allFabrics), 2)
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

// TestNoCollectiveBeatsItsBound holds the bus bandwidth of rings between nodes
// against the NICs' rate: nothing may be faster than the wire.
func TestNoCollectiveBeatsItsBound(t *testing.T) {
	out := run(t, simtest.Resolve(t, `
cluster: {nodes: 4, node: dgx-h100}
fabrics: [infiniband-ndr, roce-v2-400g]
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
	out := run(t, simtest.Resolve(t, `
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

// TestRingsOfSwitchesDoNotDeadlock runs what would stand still on one lane: small
// buffers, a ring of sixteen switches, and a dragonfly.
func TestRingsOfSwitchesDoNotDeadlock(t *testing.T) {
	for _, shape := range []string{
		"{shape: torus, dims: [16], hosts-per-leaf: 8, radix: 12}",
		"{shape: torus, dims: [5, 5], hosts-per-leaf: 6, radix: 12}",
		"{shape: dragonfly, hosts-per-leaf: 4, switches-per-group: 8, global-links: 4, groups: 4, radix: 16}",
	} {
		out := run(t, simtest.Resolve(t, `
cluster: {nodes: 16, node: dgx-h100}
topology: `+shape+`
fabrics: [{preset: infiniband-ndr, routing: {mode: deterministic}, ib: {buffer: 8KiB, hoq-lifetime: forever, leaf-hoq-lifetime: forever}}]
workload: {pattern: permutation, sizes: [1MiB]}`), 2)
		if p := out.Fabrics[0].Points[0]; p.Time <= 0 || p.Counts.Drops() > 0 {
			t.Errorf("%s: %v, %d drops", shape, p.Time, p.Counts.Drops())
		}
	}
}

// TestStandstillNamesTheCircle runs a permutation on a ring of Ethernet switches
// that pause one another, and expects the circle, port by port and once around, on
// any number of cores.
func TestStandstillNamesTheCircle(t *testing.T) {
	r := simtest.Resolve(t, `
cluster: {nodes: 16, node: dgx-h100}
topology: {shape: torus, dims: [16], hosts-per-leaf: 8, radix: 12}
fabrics: [{preset: roce-v2-400g, cc: none, routing: {mode: deterministic}, ethernet: {ecn: {enabled: false}, pfc: {xoff: 16KiB, xon-offset: 8KiB}}}]
workload: {pattern: permutation, sizes: [4MiB]}`)
	var before []byte
	for _, workers := range []int{1, 2, 3} {
		out, err := Run(t.Context(), r, Options{Workers: workers})
		if err == nil {
			t.Fatal("a ring of full buffers went on")
		}
		wants := []string{"no progress since", "deadlock: 16 ports wait for one another in a circle"}
		for i := range 16 {
			wants = append(wants, fmt.Sprintf("\n  switch(%d) port 9 to switch(%d): ", i, (i+1)%16))
		}
		for _, want := range wants {
			if strings.Count(err.Error(), want) != 1 {
				t.Errorf("the error does not say %q once: %v", want, err)
			}
		}
		text, err := out.Encode()
		if err != nil {
			t.Fatal(err)
		}
		if before != nil && !bytes.Equal(text, before) {
			t.Errorf("on %d cores the results are\n%s\nwant\n%s", workers, text, before)
		}
		before = text
	}
}

// TestALimitIsToldApartFromASenderThatWaits ends a run by its limit twice: while
// packets move, and while the sender of a packet that was lost waits for its
// timeout.
func TestALimitIsToldApartFromASenderThatWaits(t *testing.T) {
	const lossy = "{preset: roce-v2-400g, cc: none, transport: {retransmission: fixed}, switch: {buffer: 16MiB}, ethernet: {ecn: {enabled: false}, pfc: {enabled: false}}}"
	for _, c := range []struct{ name, fabric, limit, want, not string }{
		{"moving", "roce-v2-400g", "60us", "packets wait at", "retransmission"},
		{"lost", lossy, "20ms", "no packet waits in the network; 23 senders wait for their retransmission timeouts, with nothing under way: node", "packets wait at"},
	} {
		_, err := Run(t.Context(), simtest.Resolve(t, `
cluster: {nodes: 4, node: dgx-h100}
topology: {shape: single-switch}
fabrics: [`+c.fabric+`]
workload: {pattern: incast, fan-in: 24, sizes: [1MiB]}
run: {limit: {simulated-time: `+c.limit+`}}`), Options{})
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
	out, err := Run(ctx, r, Options{Workers: 1, Progress: func(p Progress) {
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
		t.Errorf("%d points are complete, want the one that was finished", done)
	}
}
