package sim_test

import (
	"fmt"
	"testing"

	"weft/internal/base/canon"
	"weft/internal/sim"
	"weft/internal/test/runtest"
	"weft/internal/test/simtest"
	"weft/results"
	"weft/scenario"
)

// The clusters on which collectives repeat themselves.
const (
	wholeNodes = "cluster: {nodes: 2, node: dgx-h100}\ntopology: {shape: rail-optimised}\n"
	smallNodes = "cluster: {nodes: 4, node: {preset: dgx-h100, gpus: 2, nics: 2}}\ntopology: {shape: rail-optimised, radix: 16}\n"
	fatTree    = "cluster: {nodes: 8, node: {preset: dgx-h100, gpus: 1, nics: 1}}\ntopology: {shape: fat-tree, levels: 2, radix: 4}\n"
)

// checked runs a scenario with and without skipping on some cores. A difference is an error of the test.
func checked(t *testing.T, r *scenario.Resolved, workers int) *results.Results {
	t.Helper()
	return checkedWith(t, r, sim.Options{Workers: workers, Exact: sim.ExactCheck})
}

// checkedSeries is checked for a run that records series, which are compared, too.
func checkedSeries(t *testing.T, r *scenario.Resolved, workers int) *results.Results {
	t.Helper()
	return checkedWith(t, r, sim.Options{Workers: workers, Exact: sim.ExactCheck, Series: func(*results.Series) {}})
}

func checkedWith(t *testing.T, r *scenario.Resolved, o sim.Options) *results.Results {
	t.Helper()
	out, err := sim.Run(t.Context(), r, o)
	if err != nil {
		t.Error(err)
	}
	return out
}

// Every collective with every algorithm and protocol has the same results with and without skipping.
func TestSkippingChangesNothing(t *testing.T) {
	ran, skipped := 0, 0
	for _, op := range []scenario.Collective{
		scenario.AllReduce, scenario.AllGather, scenario.ReduceScatter, scenario.Broadcast, scenario.Reduce, scenario.Scatter, scenario.Gather, scenario.AllToAll, scenario.SendRecv,
	} {
		for _, algorithm := range []scenario.Algorithm{scenario.AlgoRing, scenario.AlgoTree, scenario.AlgoHierarchical, scenario.AlgoHalvingDoubling, scenario.AlgoNVLSTree, scenario.AlgoDirect} {
			for _, protocol := range []scenario.Protocol{scenario.ProtoSimple, scenario.ProtoLL128, scenario.ProtoLL} {
				size := "64MiB"
				if protocol == scenario.ProtoLL && algorithm != scenario.AlgoRing && op != scenario.SendRecv {
					size = "4MiB" // nothing repeats itself, and LL has many packets
				}
				f, err := scenario.Decode("test.yaml", []byte(smallNodes+fmt.Sprintf(`
fabrics: [roce-v2-200g, infiniband-hdr]
workload: {collective: %s, algorithm: %s, protocol: %s, sizes: [%s]}`, op, algorithm, protocol, size)))
				if err != nil {
					continue // there is no such collective
				}
				r, err := f.Resolve()
				if err != nil {
					continue // not on this cluster
				}
				ran++
				t.Run(fmt.Sprintf("%s/%s/%s", op, algorithm, protocol), func(t *testing.T) {
					for _, f := range checked(t, r, 1).Fabrics {
						if f.Points[0].Counts.Skipped.Periods > 0 {
							skipped++
						}
					}
				})
			}
		}
	}
	if ran < 35 || skipped < 10 {
		t.Errorf("%d combinations ran on two fabrics each, and %d simulations skipped something: the test does not see it", ran, skipped)
	}
}

// These repeat themselves, so that something is skipped on each fabric, and the results are the same.
func TestWhatRepeatsItselfIsSkipped(t *testing.T) {
	const both = "fabrics: [roce-v2-400g, infiniband-ndr]\n"
	ring := func(op, protocol string) string {
		return "workload: {collective: " + op + ", algorithm: ring, protocol: " + protocol + ", sizes: [64MiB]}\n"
	}
	allReduce := ring("all-reduce", "simple")
	for name, c := range map[string]struct {
		text    string
		workers int
	}{
		"all-reduce":     {wholeNodes + both + allReduce, 1},
		"two cores":      {wholeNodes + both + allReduce, 2},
		"all-gather":     {wholeNodes + both + ring("all-gather", "simple"), 1},
		"reduce-scatter": {wholeNodes + both + ring("reduce-scatter", "simple"), 1},
		"iterations":     {wholeNodes + both + allReduce + "run: {iterations: 2, warmup: 1}\n", 1},
		"whole iterations": {"cluster: {nodes: 4, node: {preset: dgx-h100, gpus: 1, nics: 1}}\n" + both +
			"workload: {collective: all-to-all, protocol: simple, sizes: [256KiB]}\nrun: {iterations: 200, warmup: 5}\n", 1},
		// At 400 Gb/s the GPUs' own rate drifts against the wires'.
		"LL128":    {"cluster: {nodes: 2, node: {preset: dgx-h100, gpus: 2, nics: 2}}\nfabrics: [roce-v2-200g, infiniband-hdr]\n" + ring("all-reduce", "ll128"), 1},
		"LL":       {smallNodes + "fabrics: [infiniband-ndr]\n" + ring("all-reduce", "ll"), 1}, // on RoCE v2 the proxy threads drift
		"fat tree": {fatTree + "fabrics: [roce-v2-400g]\n" + allReduce, 1},
		"routing": {wholeNodes + `
fabrics:
  - {preset: roce-v2-400g, name: spray, routing: {mode: spray}}
  - {preset: roce-v2-400g, name: flowlet, routing: {mode: flowlet}}
  - {preset: infiniband-ndr, name: adaptive, routing: {mode: adaptive}}
  - {preset: infiniband-ndr, name: deterministic, routing: {mode: deterministic}}
` + allReduce, 1},
		"congestion control": {wholeNodes + `
fabrics:
  - {preset: roce-v2-400g, name: TIMELY, cc: timely}
  - {preset: roce-v2-400g, name: Swift, cc: swift}
  - {preset: roce-v2-400g, name: window, transport: {window: 64KiB}}
  - {preset: infiniband-ndr, name: ib-cc, cc: ib-cc}
` + allReduce, 1},
		"round trips in packets": {smallNodes + `
fabrics:
  - {preset: roce-v2-400g, name: TIMELY, cc: timely}
  - {preset: roce-v2-400g, name: Swift, cc: swift}
` + allReduce, 1},
	} {
		t.Run(name, func(t *testing.T) {
			for i, check := range []func(*testing.T, *scenario.Resolved, int) *results.Results{checked, checkedSeries} {
				for _, f := range check(t, simtest.Resolve(t, c.text), c.workers).Fabrics {
					p := &f.Points[0]
					if i == 1 && p.Failure == "" && p.Counts.Skipped.Periods == 0 {
						continue // details need the last two periods, and some have no more
					}
					if s := p.Counts.Skipped; p.Failure == "" && (s.Periods == 0 || s.Time <= 0 || s.Time >= s.Of || s.Events <= 0 || s.Events >= p.Counts.Events) {
						t.Errorf("%s: of %d events this was skipped: %+v", f.Name, p.Counts.Events, s)
					}
				}
			}
		})
	}
}

// In these a part of the state changes slowly while all else repeats itself: turns of paths, windows and rates,
// credits under way, fractions of a picosecond. If that part were not compared, too much would be skipped.
func TestWhatDriftsIsNotSkipped(t *testing.T) {
	const narrow = "cluster: {nodes: 8, node: {preset: dgx-h100, gpus: 1, nics: 1}}\ntopology: {shape: fat-tree, levels: 2, radix: 8, oversubscription: 3}\n"
	ring := func(protocol string) string {
		return "\nworkload: {collective: all-reduce, algorithm: ring, protocol: " + protocol + ", sizes: [64MiB]}"
	}
	for name, text := range map[string]string{
		"paths": fatTree + `
fabrics:
  - {preset: roce-v2-400g, name: spray, routing: {mode: spray}}
  - {preset: roce-v2-400g, name: adaptive, routing: {mode: adaptive}}
  - {preset: infiniband-ndr, name: InfiniBand adaptive, routing: {mode: adaptive}}
  - {preset: infiniband-ndr, name: InfiniBand, routing: {mode: deterministic}}` + ring("simple"),
		"rates": narrow + `
fabrics:
  - {preset: roce-v2-400g, name: TIMELY, cc: timely}
  - {preset: roce-v2-400g, name: Swift, cc: swift}
  - {preset: roce-v2-400g, name: HPCC, cc: hpcc}
  - {preset: ultra-ethernet-400g, name: NSCC}` + ring("simple"),
		"fractions": smallNodes + "fabrics: [infiniband-fdr, infiniband-edr]" + ring("simple"),
		"LL128":     fatTree + "fabrics: [infiniband-ndr]" + ring("ll128"),
		"turns":     smallNodes + "fabrics: [{preset: roce-v2-400g, transport: {qps-per-connection: 4}}]" + ring("simple"),
	} {
		t.Run(name, func(t *testing.T) {
			for _, f := range checked(t, simtest.Resolve(t, text), 1).Fabrics {
				t.Log(f.Name, f.Points[0].Counts.Skipped)
			}
		})
	}
}

// ExactCheck runs two simulations for each result, also with several seeds and with series. The results equal those of
// both modes.
func TestACheckIsTwoSimulations(t *testing.T) {
	r := simtest.Resolve(t, wholeNodes+`
fabrics: [roce-v2-400g]
workload: {collective: all-reduce, algorithm: ring, protocol: simple, sizes: [1MiB, 64MiB]}`)
	texts := map[string]bool{}
	for _, exact := range []sim.Exact{sim.ExactOn, sim.ExactOff, sim.ExactCheck} {
		var last sim.Progress
		finished, series := 0, 0
		out, err := sim.Run(t.Context(), r, sim.Options{
			Workers: 1, Seeds: 2, Exact: exact, Progress: func(p sim.Progress) { last = p },
			Finished: func(sim.Finished) { finished++ }, Series: func(*results.Series) { series++ },
		})
		if err != nil {
			t.Fatal(err)
		}
		text, err := out.Encode()
		if err != nil {
			t.Fatal(err)
		}
		texts[string(text)] = true
		want := 4
		if exact == sim.ExactCheck {
			want = 8
		}
		if last.Done != want || last.Total != want || finished != 2 || series != 2 {
			t.Errorf("%v: %d of %d simulations, %d finished, %d series, want %d, 2 and 2", exact, last.Done, last.Total, finished, series, want)
		}
		if (out.Skipped().Periods > 0) != (exact != sim.ExactOff) || last.Skipped.Periods < out.Skipped().Periods {
			t.Errorf("%v: %+v skipped, and %+v as the progress has it", exact, out.Skipped(), last.Skipped)
		}
	}
	if len(texts) != 1 {
		t.Errorf("%d different results.json", len(texts))
	}
}

func TestExactIsText(t *testing.T) {
	for _, want := range []string{"on", "off", "check"} {
		var e sim.Exact
		if err := e.UnmarshalText([]byte(want)); err != nil {
			t.Fatal(err)
		}
		if got, err := e.MarshalText(); err != nil || string(got) != want {
			t.Errorf("%s becomes %s: %v", want, got, err)
		}
	}
	var e sim.Exact
	if err := e.UnmarshalText([]byte("true")); err == nil || err.Error() != "want on, off or check" {
		t.Errorf("true: %v", err)
	}
	if _, err := sim.Exact(3).MarshalText(); err == nil {
		t.Error("3 has a text")
	}
}

// A cache keeps the results of simulations, and not how many periods they skipped. A run with ExactOff takes no
// result from the cache, because a skipping run may have made it.
func TestKnownResultsDoNotSayWhatWasSkipped(t *testing.T) {
	r := simtest.Resolve(t, wholeNodes+`
fabrics: [roce-v2-400g]
workload: {collective: all-reduce, algorithm: ring, protocol: simple, sizes: [64MiB]}`)
	m := runtest.NewMemory()
	for i, exact := range []sim.Exact{sim.ExactOn, sim.ExactOn, sim.ExactOff, sim.ExactCheck} {
		if _, err := sim.Run(t.Context(), r, sim.Options{Workers: 1, Cache: m, Exact: exact}); err != nil {
			t.Fatal(err)
		}
		if len(m.Entries) != 1 || m.Found != min(i, 1) {
			t.Errorf("run %d: %d entries, found %d times", i, len(m.Entries), m.Found)
		}
	}
	for _, e := range m.Entries {
		var p results.Point
		if err := canon.Decode(e.Value, &p); err != nil || p.Time == 0 || p.Counts.Skipped != (results.Skipped{}) {
			t.Errorf("the entry has %+v: %v", p.Counts, err)
		}
	}
}
