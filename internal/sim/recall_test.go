package sim_test

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"weft/internal/sim"
	"weft/internal/sim/known"
	"weft/internal/test/runtest"
	"weft/internal/test/simtest"
	"weft/results"
)

// kinds are scenarios whose results together have every part of a point.
var kinds = map[string]string{
	"collective beside streams": `
cluster: {nodes: 3, node: dgx-h100}
topology: {shape: single-switch}
run: {jitter: true, pauses: true}
workload: {collective: all-reduce, nodes: 2, sizes: [64KiB, 1MiB]}
fabrics:
  - {preset: roce-v2-400g, beside: [{name: storage, from: "node[0-1]/nic0", to: node2/nic0, bytes: 256KiB, depth: 2}]}
  - {preset: infiniband-ndr, routing: {mode: deterministic}}`,
	"incast with pauses": `
cluster: {nodes: 4, node: dgx-h100}
topology: {shape: fat-tree, levels: 2, radix: 16}
run: {pauses: true}
fabrics: [roce-v2-400g, infiniband-ndr]
workload: {pattern: incast, fan-in: 20, receivers: 2, sizes: [256KiB]}`,
	"faults": simtest.LeafSpine + simtest.BothFabrics + "faults: [{at: 20us, link: leaf0 port 9}]",
	"flows on levels": `
cluster: {nodes: 3, node: {preset: dgx-h100, gpus: 1, nics: 1}}
topology: {shape: single-switch}
fabrics: [{preset: infiniband-ndr, ib: {sl2vl: [0, 1, 2, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], vlarb-low: [{vl: 0, weight: 64}, {vl: 1, weight: 64}]}}]
workload: {pattern: flows, flows: [{src: 0, dst: 2, bytes: 1MiB, sl: 1}, {src: 1, dst: 2, bytes: 64KiB}]}`,
}

func TestAKnownResultIsTheSimulated(t *testing.T) {
	for name, text := range kinds {
		t.Run(name, func(t *testing.T) {
			r, cache := simtest.Resolve(t, text), runtest.NewMemory()
			run := func(cache known.Store) ([]byte, sim.Progress) {
				var last sim.Progress
				out, err := sim.Run(t.Context(), r, sim.Options{Seeds: 3, Cache: cache, Progress: func(p sim.Progress) { last = p }})
				if err != nil {
					t.Fatal(err)
				}
				text, err := out.Encode()
				if err != nil {
					t.Fatal(err)
				}
				return text, last
			}
			want, _ := run(nil)
			first, told := run(cache)
			if told.Known != 0 || told.Done != told.Total {
				t.Errorf("the first run with an empty store: %+v", told)
			}
			again, told := run(cache)
			if told.Known != told.Total || told.Done != told.Total || told.Events != 0 {
				t.Errorf("the second run knew %d of %d, and had %d events", told.Known, told.Total, told.Events)
			}
			if !bytes.Equal(first, want) || !bytes.Equal(again, want) {
				t.Errorf("results without a store, with an empty one, with a full one:\n%s\n%s\n%s", want, first, again)
			}
			for key, e := range cache.Entries {
				k, value, err := sim.Resimulate(t.Context(), e.Recipe, 2)
				if err != nil || k != key || !bytes.Equal(value, e.Value) {
					t.Errorf("%s, simulated again from its recipe: %v, another key %t, another value %t", e.What, err, k != key, !bytes.Equal(value, e.Value))
				}
			}
		})
	}
}

func TestOneMoreSizeIsSimulatedAlone(t *testing.T) {
	cache, text := runtest.NewMemory(), `
cluster: {nodes: 2, node: dgx-h100}
workload: {collective: all-gather, sizes: [SIZES]}
fabrics: [roce-v2-400g, {preset: infiniband-ndr, name: NAME}]`
	run := func(sizes, name string) (p sim.Progress) {
		r := simtest.Resolve(t, strings.NewReplacer("SIZES", sizes, "NAME", name).Replace(text))
		if _, err := sim.Run(t.Context(), r, sim.Options{Cache: cache, Progress: func(now sim.Progress) { p = now }}); err != nil {
			t.Fatal(err)
		}
		return p
	}
	run("8KiB, 64KiB", "ib")
	if p := run("8KiB, 16KiB, 64KiB", "another"); p.Total != 6 || p.Known != 4 {
		t.Errorf("of %d simulations %d were known, want 4 of 6: the name of a fabric changes no result", p.Total, p.Known)
	}
}

func TestWhatFailedOrWasStoppedIsNotKept(t *testing.T) {
	r := simtest.Resolve(t, `
cluster: {nodes: 2, node: dgx-h100}
workload: {collective: all-reduce, sizes: [64KiB]}
run: {limit: {simulated-time: 3us}}
fabrics: [roce-v2-400g]`)
	cache := runtest.NewMemory()
	if _, err := sim.Run(t.Context(), r, sim.Options{Cache: cache}); err == nil || len(cache.Entries) > 0 {
		t.Errorf("the run ended with %v, and %d results are kept", err, len(cache.Entries))
	}
	r = simtest.Resolve(t, simtest.LeafSpine+simtest.BothFabrics)
	ctx, stop := context.WithCancel(t.Context())
	out, err := sim.Run(ctx, r, sim.Options{Workers: 1, Cache: cache, Finished: func(sim.Finished) { stop() }})
	if err == nil || !out.Partial || len(cache.Entries) > 1 {
		t.Errorf("the run was stopped behind its first simulation: %v, %d results are kept", err, len(cache.Entries))
	}
}

func TestARunThatRecordsSimulates(t *testing.T) {
	r, cache := simtest.Resolve(t, simtest.LeafSpine+"fabrics: [roce-v2-400g]"), runtest.NewMemory()
	recorded := 0
	for range 2 {
		if _, err := sim.Run(t.Context(), r, sim.Options{Cache: cache, Series: func(*results.Series) { recorded++ }}); err != nil {
			t.Fatal(err)
		}
	}
	if recorded != 2 || len(cache.Entries) > 0 {
		t.Errorf("%d series were recorded, and %d results kept", recorded, len(cache.Entries))
	}
}

// What is kept does not say how it was simulated: with or without the skipping of periods it is the same.
func TestARunThatSkipsKeepsTheSame(t *testing.T) {
	r := simtest.Resolve(t, wholeNodes+`
fabrics: [roce-v2-400g]
workload: {collective: all-reduce, algorithm: ring, protocol: simple, sizes: [64MiB]}`)
	caches := [2]*runtest.Memory{runtest.NewMemory(), runtest.NewMemory()}
	skipped := int64(0)
	for i, exact := range []sim.Exact{sim.ExactOff, sim.ExactOn} {
		out, err := sim.Run(t.Context(), r, sim.Options{Exact: exact, Cache: caches[i]})
		if err != nil {
			t.Fatal(err)
		}
		skipped += out.Skipped().Periods
	}
	for key, e := range caches[0].Entries {
		if !bytes.Equal(e.Value, caches[1].Entries[key].Value) {
			t.Errorf("%s: two values", e.What)
		}
	}
	if len(caches[0].Entries) != 1 || skipped == 0 {
		t.Errorf("%d results are kept, and %d periods were skipped", len(caches[0].Entries), skipped)
	}
}
