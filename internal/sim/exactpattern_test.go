package sim_test

import (
	"fmt"
	"testing"

	"weft/internal/sim"
	"weft/internal/test/simtest"
	"weft/results"
	"weft/scenario"
	"weft/units"
)

// patternNodes are 16 nodes with a NIC each.
const patternNodes = "cluster: {nodes: 16, node: {preset: dgx-h100, gpus: 1, nics: 1}}\n"

// The topologies of patterns.
const (
	fiveNodes = "cluster: {nodes: 5, node: {preset: dgx-h100, gpus: 1, nics: 1}}\ntopology: {shape: single-switch, radix: 8}\n"
	oneSwitch = patternNodes + "topology: {shape: single-switch}\n"
	twoLevels = patternNodes + "topology: {shape: fat-tree, levels: 2, radix: 8}\n"
)

// The packets of long messages follow each other regularly, if nothing is drawn at random, so that most of a message is
// skipped. The results are the same on one core, and on two with series.
func TestThePacketsOfLongMessagesRepeatThemselves(t *testing.T) {
	const (
		both = `
fabrics:
  - {preset: roce-v2-400g, name: roce}
  - {preset: infiniband-ndr, name: ib, routing: {mode: deterministic}}
`
		infiniband = `
fabrics:
  - {preset: infiniband-ndr, name: ndr, routing: {mode: deterministic}}
  - {preset: infiniband-hdr, name: hdr, routing: {mode: deterministic}}
`
	)
	for name, c := range map[string]struct {
		text  string
		least int64 // percent of the events that are skipped
	}{
		"one message":      {fiveNodes + both + "workload: {pattern: flows, flows: [{src: 0, dst: 1, bytes: 64MiB}]}", 80},
		"permutation":      {oneSwitch + both + "workload: {pattern: permutation, sizes: [64MiB]}", 70},
		"send":             {fiveNodes + both + "workload: {pattern: permutation, operation: send, receive-queue: 2, sizes: [64MiB]}", 70},
		"uc":               {fiveNodes + both + "workload: {pattern: permutation, transport: uc, sizes: [64MiB]}", 70},
		"incast":           {fiveNodes + infiniband + "workload: {pattern: incast, fan-in: 4, sizes: [16MiB]}", 90},
		"credits":          {twoLevels + infiniband + "workload: {pattern: incast, fan-in: 15, sizes: [16MiB]}", 85},
		"two receivers":    {twoLevels + infiniband + "workload: {pattern: incast, receivers: 2, fan-in: 7, sizes: [64MiB]}", 80},
		"pieces":           {fiveNodes + both + "workload: {pattern: flows, flows: [{src: 0, dst: 1, bytes: 2049MiB}]}", 95},
		"unequal messages": {fiveNodes + infiniband + "workload: {pattern: flows, flows: [{src: 0, dst: 1, bytes: 64MiB}, {src: 2, dst: 3, bytes: 16777217B}, {src: 2, dst: 4, bytes: 30000003B, start: 500us}]}", 30},
		"behind another":   {fiveNodes + both + "workload: {pattern: flows, flows: [{src: 0, dst: 1, bytes: 32MiB}, {src: 0, dst: 1, bytes: 33554433B}, {src: 0, dst: 2, bytes: 8MiB}]}", 30},
		"several pairs":    {fiveNodes + "fabrics: [{preset: infiniband-ndr, transport: {qps-per-connection: 4}}, {preset: infiniband-hdr, transport: {qps-per-connection: 3}}]\nworkload: {pattern: incast, fan-in: 3, sizes: [64MiB]}", 80},
	} {
		for workers, check := range map[int]func(*testing.T, *scenario.Resolved, int) *results.Results{1: checked, 2: checkedSeries} {
			t.Run(fmt.Sprintf("%s, %d", name, workers), func(t *testing.T) {
				for _, f := range check(t, simtest.Resolve(t, c.text), workers).Fabrics {
					p := &f.Points[0]
					s := p.Counts.Skipped
					if p.Failure != "" {
						continue // it has been told
					}
					least := c.least
					if workers == 2 { // details need the first and the last periods
						least = least * 3 / 4
					}
					t.Logf("%s: %d %% of %d events in %d periods", f.Name, 100*s.Events/p.Counts.Events, p.Counts.Events, s.Periods)
					if s.Periods == 0 || s.Events*100 < least*p.Counts.Events || s.Time <= 0 || s.Time >= s.Of {
						t.Errorf("%s: of %d events this was skipped: %+v; want %d %%", f.Name, p.Counts.Events, s, least)
					}
				}
			})
		}
	}
}

// A run that fails has skipped a part of the time that it reached.
func TestAFailedRunHasSkippedAPartOfItsTime(t *testing.T) {
	out, err := sim.Run(t.Context(), simtest.Resolve(t, fiveNodes+`
fabrics: [infiniband-ndr]
workload: {pattern: flows, flows: [{src: 0, dst: 1, bytes: 64MiB}]}
run: {limit: {simulated-time: 1ms}}`), sim.Options{Workers: 1})
	if out == nil {
		t.Fatal(err)
	}
	p := &out.Fabrics[0].Points[0]
	if s := p.Counts.Skipped; p.Failure == "" || s.Periods == 0 || s.Time >= s.Of || s.Of > units.Millisecond {
		t.Errorf("failure %q, skipped %+v; want a failure, and less skipped than 1 ms", p.Failure, s)
	}
}

// A message ends with another packet than those before it. With sizes about the length of a period the periods end there.
func TestPeriodsEndBeforeTheMessage(t *testing.T) {
	sizes := ""
	for packets := range 24 {
		sizes += fmt.Sprintf("%d, ", (6000+packets)*4096+packets%3)
	}
	skipped := 0
	for _, pattern := range []string{"incast, fan-in: 1", "incast, fan-in: 3"} {
		for _, f := range checked(t, simtest.Resolve(t, fiveNodes+`
fabrics:
  - {preset: infiniband-ndr, name: ib, routing: {mode: deterministic}}
  - {preset: roce-v2-400g, name: roce}
workload: {pattern: `+pattern+`, sizes: [`+sizes+`]}`), 1).Fabrics {
			for i := range f.Points {
				if f.Points[i].Counts.Skipped.Periods > 0 {
					skipped++
				}
			}
		}
	}
	if skipped < 70 {
		t.Errorf("%d of 96 simulations skipped something", skipped)
	}
}

// Skipping leaves out uniform traffic, whose messages begin at random times, packets that are marked at random, and READs.
func TestWhatIsDrawnIsNotSkipped(t *testing.T) {
	for name, text := range map[string]string{
		"uniform": "fabrics: [infiniband-ndr, roce-v2-400g]\nworkload: {pattern: uniform, load: 40%, duration: 200us, sizes: [64KiB]}",
		"marks":   "fabrics: [roce-v2-400g]\nworkload: {pattern: incast, fan-in: 4, sizes: [16MiB]}",
		"jitter":  "fabrics: [infiniband-ndr]\nworkload: {pattern: permutation, sizes: [16MiB]}\nrun: {jitter: true}",
		"read":    "fabrics: [infiniband-ndr, roce-v2-400g]\nworkload: {pattern: permutation, operation: read, sizes: [16MiB]}",
	} {
		t.Run(name, func(t *testing.T) {
			for _, f := range checked(t, simtest.Resolve(t, oneSwitch+text), 1).Fabrics {
				if s := f.Points[0].Counts.Skipped; s.Periods > 0 {
					t.Errorf("%s: %+v", f.Name, s)
				}
			}
		})
	}
}

// In these patterns a part of the state changes slowly: flows that collide on a link, whose acknowledgements give each
// NIC a rate of its own, rates and windows of congestion control, pauses, turns of paths.
func TestLongMessagesThatDriftAreTheSame(t *testing.T) {
	for name, text := range map[string]string{
		"permutation": twoLevels + `
fabrics:
  - {preset: infiniband-ndr, name: ib, routing: {mode: deterministic}}
  - {preset: infiniband-ndr, name: adaptive, routing: {mode: adaptive}}
  - {preset: infiniband-ndr, name: ib-cc, cc: ib-cc, routing: {mode: deterministic}}
  - {preset: roce-v2-400g, name: roce}
  - {preset: roce-v2-400g, name: spray, routing: {mode: spray}}
  - {preset: roce-v2-400g, name: pfc, cc: none, ethernet: {ecn: {enabled: false}}}
  - {preset: ultra-ethernet-400g, name: ue}
workload: {pattern: permutation, sizes: [16MiB]}`,
		"incast": twoLevels + `
fabrics:
  - {preset: infiniband-ndr, name: adaptive, routing: {mode: adaptive}}
  - {preset: roce-v2-400g, name: Swift, cc: swift}
  - {preset: roce-v2-400g, name: HPCC, cc: hpcc}
  - {preset: roce-v2-400g, name: window, cc: none, transport: {window: 64KiB}, ethernet: {ecn: {enabled: false}}}
  - {preset: roce-v2-400g, name: pfc, cc: none, ethernet: {ecn: {enabled: false}}, switch: {buffer: 40MiB}}
workload: {pattern: incast, receivers: 2, fan-in: 7, sizes: [16MiB]}`,
	} {
		t.Run(name, func(t *testing.T) {
			for _, f := range checked(t, simtest.Resolve(t, text), 1).Fabrics {
				t.Log(f.Name, f.Points[0].Counts.Skipped)
			}
		})
	}
}
