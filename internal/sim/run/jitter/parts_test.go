package jitter_test

import (
	"context"
	"strings"
	"testing"

	"weft/internal/sim"
	"weft/internal/test/runtest"
	"weft/internal/test/simtest"
	"weft/units"
)

const jitterOn = "\nrun: {jitter: true}"

// TestJitterReachesPatterns runs each verb of a permutation with and without
// jitter, on one core and on three.
func TestJitterReachesPatterns(t *testing.T) {
	for _, workload := range []string{
		"{pattern: permutation, sizes: [64KiB]}",
		"{pattern: permutation, operation: read, sizes: [64KiB]}",
		"{pattern: uniform, transport: ud, load: 50%, duration: 20us, sizes: [2KiB]}",
	} {
		text := `
cluster: {nodes: 8, node: dgx-h100}
topology: {shape: fat-tree, levels: 2, radix: 16}
fabrics: [infiniband-ndr, roce-v2-400g]
workload: ` + workload
		off, on, cut := runtest.Run(t, simtest.Resolve(t, text), 1), runtest.Run(t, simtest.Resolve(t, text+jitterOn), 1), runtest.Run(t, simtest.Resolve(t, text+jitterOn), 6)
		for i := range off.Fabrics {
			a, b, c := off.Fabrics[i].Points[0], on.Fabrics[i].Points[0], cut.Fabrics[i].Points[0]
			if b.Flows.Mean <= a.Flows.Mean || b.Flows != c.Flows || b.Time != c.Time {
				t.Errorf("%s, %s: mean %v without jitter, %v with it, %v with it on more cores", off.Fabrics[i].Name, workload, a.Flows.Mean, b.Flows.Mean, c.Flows.Mean)
			}
		}
	}
}

// TestEachPartJittersAlone turns the jitter of all parts but one off, and compares the
// extra time of small messages on an idle fabric with its mean: a message draws at each
// host, at each NIC and at the switch.
func TestEachPartJittersAlone(t *testing.T) {
	const (
		messages = 4000
		none     = "{distribution: none, mean: 0}"
		mean     = 100 * units.Nanosecond
		some     = "{distribution: exponential, mean: 100ns}"
	)
	text := func(host, nic, sw string) string {
		return `
cluster: {nodes: 2, node: {preset: dgx-h100, gpus: 1, nics: 1}}
topology: {shape: single-switch}
fabrics: [{preset: infiniband-ndr, host: {path: gpudirect-rdma, jitter: ` + host + `}, nic: {model: connectx-7, jitter: ` + nic + `}, switch: {model: qm9700, jitter: ` + sw + `}}]
workload: {pattern: uniform, sizes: [64B], load: 1/10000, duration: 100ms}` + jitterOn
	}
	exact := runtest.Point(t, text(none, none, none))
	for _, c := range []struct {
		name, host, nic, sw string
		draws               units.Time // of a message
	}{
		{"host", some, none, none, 2},
		{"NIC", none, some, none, 2},
		{"switch", none, none, some, 1},
	} {
		got := runtest.Point(t, text(c.host, c.nic, c.sw))
		if got.Flows.N != exact.Flows.N || got.Flows.N < messages {
			t.Fatalf("%s: %d messages, and %d without jitter", c.name, got.Flows.N, exact.Flows.N)
		}
		extra := got.Flows.Mean - exact.Flows.Mean
		if want := c.draws * mean; extra < want*95/100 || extra > want*105/100 {
			t.Errorf("jitter of the %s adds %v to a message, want about %v", c.name, extra, want)
		}
	}
}

// TestTicksBreakTheLockstepOfTCP has 15 senders overrun a small buffer. All lose
// segments at once. With timeouts that are equal to the picosecond they send again at
// once and lose again, for ever. With hosts whose ticks differ they are done after one
// timeout, of 200 ms, and a tick.
func TestTicksBreakTheLockstepOfTCP(t *testing.T) {
	const text = `
cluster: {nodes: 2, node: dgx-h100}
topology: {shape: single-switch}
fabrics: [{preset: tcp-400g, switch: {buffer: 128KiB}}]
workload: {pattern: incast, fan-in: 15, sizes: [1MiB]}`
	_, err := sim.Run(context.Background(), simtest.Resolve(t, text), sim.Options{})
	if err == nil || !strings.Contains(err.Error(), "run.limit.simulated-time) was reached") {
		t.Errorf("without jitter the lockstep ended: %v", err)
	}
	got := runtest.Point(t, text+jitterOn)
	if least, most := 200*units.Millisecond, 210*units.Millisecond; got.Time < least || got.Time > most || got.Counts.Retransmissions == 0 {
		t.Errorf("with jitter it takes %v and sends %d segments again, want %v to %v and some", got.Time, got.Counts.Retransmissions, least, most)
	}
}

// A collective with jitter takes longer, and the same each time.
func TestJitterSlowsCollectivesReproducibly(t *testing.T) {
	const text = `
cluster: {nodes: 4, node: dgx-h100}
workload: {collective: all-reduce, sizes: [1MiB]}
fabrics: [infiniband-ndr, tcp-400g]
run: {jitter: `
	off := runtest.Run(t, simtest.Resolve(t, text+"false}"), 1)
	on, again := runtest.Run(t, simtest.Resolve(t, text+"true}"), 1), runtest.Run(t, simtest.Resolve(t, text+"true}"), 2)
	for i := range on.Fabrics {
		a, b, c := off.Fabrics[i].Points[0].Time, on.Fabrics[i].Points[0].Time, again.Fabrics[i].Points[0].Time
		if b <= a || b != c {
			t.Errorf("%s: %v without jitter, %v with it, %v again", on.Fabrics[i].Name, a, b, c)
		}
	}
}
