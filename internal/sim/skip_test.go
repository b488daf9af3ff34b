package sim_test

import (
	"math"
	"testing"

	"weft/internal/sim"
	"weft/internal/sim/known"
	"weft/internal/test/simtest"
	"weft/results"
	"weft/scenario"
	"weft/units"
)

// Collectives that do not repeat themselves to the picosecond.
const (
	pairRing   = "cluster: {nodes: 8, node: {preset: dgx-h100, gpus: 2, nics: 2}}\ntopology: {shape: fat-tree, levels: 2, radix: 8}\nworkload: {collective: all-reduce, algorithm: ring, protocol: simple, sizes: [128MiB]}\n"
	singleRing = "cluster: {nodes: 32, node: {preset: dgx-h100, gpus: 1, nics: 1}}\ntopology: {shape: fat-tree, levels: 2, radix: 16}\nworkload: {collective: all-gather, algorithm: ring, protocol: simple, sizes: [64MiB]}\n"
	railRing   = "cluster: {nodes: 8, node: {preset: dgx-h100, gpus: 4, nics: 4}}\nworkload: {collective: all-reduce, algorithm: ring, protocol: simple, sizes: [128MiB]}\n"
	wideRing   = "cluster: {nodes: 24, node: {preset: dgx-h100, gpus: 1, nics: 1}}\ntopology: {shape: fat-tree, levels: 2, radix: 12}\nworkload: {collective: all-reduce, algorithm: ring, protocol: simple, sizes: [96MiB]}\n"
	// collidingRing has flows that ECMP hashes onto one link.
	collidingRing = "cluster: {nodes: 20, node: {preset: dgx-h100, gpus: 2, nics: 2}}\ntopology: {shape: fat-tree, levels: 3, radix: 8}\nworkload: {collective: all-gather, algorithm: ring, protocol: simple, sizes: [160MiB]}\n"
	// slowingRing loses a tenth of its pace in its first third, on InfiniBand.
	slowingRing = "cluster: {nodes: 16, node: dgx-h100}\ntopology: {shape: fat-tree, levels: 3, radix: 16}\nworkload: {collective: all-reduce, algorithm: ring, protocol: ll128, sizes: [64MiB]}\n"
	switchTree  = "cluster: {nodes: 4, node: {preset: dgx-h100, gpus: 2, nics: 2}}\ntopology: {shape: fat-tree, levels: 2, radix: 8}\nworkload: {collective: all-reduce, algorithm: nvls-tree, protocol: simple, sizes: [512MiB]}\n"
)

// rate is a Skip with a bound of so many per cent.
func rate(percent int64) sim.Skip {
	return sim.Skip{Rate: units.Ratio{Num: percent, Den: 100}.Reduced()}
}

func estimated(t *testing.T, r *scenario.Resolved, workers int, percent int64) *results.Results {
	t.Helper()
	out, err := sim.Run(t.Context(), r, sim.Options{Workers: workers, Exact: sim.ExactOff, Skip: rate(percent)})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestAnEstimateIsWithinItsBound(t *testing.T) {
	for name, c := range map[string]struct {
		scenario string
		percent  int64
		least    float64 // share
	}{
		"ring":             {pairRing, 1, 0.3},
		"ring, wide bound": {wideRing, 5, 0.2},
		"jitter":           {railRing + "run: {jitter: true}", 5, 0.05},
		"jitter, narrow":   {wideRing + "run: {jitter: true, seed: 3}", 1, 0.2},
		"slowing down":     {slowingRing, 5, 0},
		"tree":             {switchTree, 10, 0.05},
	} {
		t.Run(name, func(t *testing.T) {
			r := simtest.Resolve(t, "fabrics: [roce-v2-400g, infiniband-ndr]\n"+c.scenario)
			whole, err := sim.Run(t.Context(), r, sim.Options{Workers: 1, Exact: sim.ExactOff})
			if err != nil {
				t.Fatal(err)
			}
			out := estimated(t, r, 1, c.percent)
			for i := range out.Fabrics {
				p, q := &out.Fabrics[i].Points[0], &whole.Fabrics[i].Points[0]
				if p.Estimate == nil || p.Estimate.Share < c.least || p.Estimate.Share >= 1 {
					t.Fatalf("%s: %+v, want a share of at least %v", out.Fabrics[i].Name, p.Estimate, c.least)
				}
				for what, v := range map[string][2]float64{
					"time":    {float64(p.Time), float64(q.Time)},
					"packets": {float64(p.Counts.Packets), float64(q.Counts.Packets)},
					"hops":    {float64(p.Counts.PacketHops), float64(q.Counts.PacketHops)},
					"bytes":   {float64(p.Hottest[0].Mean), float64(q.Hottest[0].Mean)},
				} {
					if off := v[0]/v[1] - 1; math.Abs(off) > float64(c.percent)/100 {
						t.Errorf("%s: %s is %v, simulated %v, %.2f %% off with a bound of %d %%", out.Fabrics[i].Name, what, v[0], v[1], 100*off, c.percent)
					}
				}
			}
		})
	}
}

func TestEstimatesDoNotDependOnCores(t *testing.T) {
	r := simtest.Resolve(t, "fabrics: [roce-v2-400g, infiniband-ndr]\n"+wideRing)
	one := estimated(t, r, 1, 5)
	if one.Fabrics[0].Points[0].Estimate.Leaps == 0 || one.Fabrics[1].Points[0].Estimate.Leaps == 0 {
		t.Fatal("no leap, so there is nothing to compare")
	}
	want, err := one.Encode()
	if err != nil {
		t.Fatal(err)
	}
	for _, workers := range []int{2, 4, 6} {
		if got, _ := estimated(t, r, workers, 5).Encode(); string(got) != string(want) {
			t.Errorf("%d cores estimate otherwise than one:\n%s\n%s", workers, got, want)
		}
	}
}

func TestWhatRepeatsItselfExactlyIsNotEstimated(t *testing.T) {
	r := simtest.Resolve(t, wholeNodes+"fabrics: [roce-v2-400g, infiniband-ndr]\nworkload: {collective: all-reduce, algorithm: ring, protocol: simple, sizes: [256MiB]}")
	want, err := sim.Run(t.Context(), r, sim.Options{})
	if err != nil {
		t.Fatal(err)
	}
	out, err := sim.Run(t.Context(), r, sim.Options{Skip: rate(1)})
	if err != nil {
		t.Fatal(err)
	}
	for i := range out.Fabrics {
		p, q := out.Fabrics[i].Points[0], want.Fabrics[i].Points[0]
		if p.Time != q.Time || p.Counts.Skipped.Periods == 0 || p.Estimate == nil || p.Estimate.Leaps > 0 {
			t.Errorf("%s: %v, %+v, %+v, want %v without a leap", out.Fabrics[i].Name, p.Time, p.Counts.Skipped, p.Estimate, q.Time)
		}
	}
}

// A run with something at a given time, one in which chance decides what packets suffer, and one that is no collective, are
// simulated as a whole, and say so.
func TestWhatCannotBeEstimatedIsSimulated(t *testing.T) {
	for name, text := range map[string]string{
		"pattern": smallNodes + "fabrics: [roce-v2-400g]\nworkload: {pattern: permutation, sizes: [1MiB]}",
		"fault":   pairRing + "fabrics: [roce-v2-400g]\nfaults: [{link: leaf0 port 5, at: 100us}]",
		"stream":  pairRing + "fabrics: [{preset: roce-v2-400g, beside: [{name: storage, from: node0/nic0, to: node5/nic0, bytes: 64KiB, depth: 1}]}]",
		"errors":  pairRing + "fabrics: [{preset: infiniband-ndr, link: {error-rate: 1e-6}}]",
		"marks":   collidingRing + "fabrics: [roce-v2-200g]\nrun: {seed: 9}",
	} {
		t.Run(name, func(t *testing.T) {
			r := simtest.Resolve(t, text)
			want, err := sim.Run(t.Context(), r, sim.Options{})
			if err != nil {
				t.Fatal(err)
			}
			out, err := sim.Run(t.Context(), r, sim.Options{Skip: rate(10)})
			if err != nil {
				t.Fatal(err)
			}
			p := &out.Fabrics[0].Points[0]
			if p.Estimate == nil || *p.Estimate != (results.Estimate{Bound: 0.1}) {
				t.Errorf("estimate %+v, want the bound alone", p.Estimate)
			}
			p.Estimate = nil
			if field, a, b := results.Difference(p, &want.Fabrics[0].Points[0]); field != "" {
				t.Errorf("%s is %s, want %s", field, a, b)
			}
		})
	}
}

// refusing is a cache that nobody may use.
type refusing struct{ t *testing.T }

func (r refusing) Get(known.Key) ([]byte, bool) {
	r.t.Error("an estimate was looked for among known results")
	return nil, false
}

func (r refusing) Put(known.Key, known.Entry) { r.t.Error("an estimate was kept as a known result") }

func TestEstimatesAreNotKeptAsKnownResults(t *testing.T) {
	r := simtest.Resolve(t, "fabrics: [roce-v2-400g]\n"+singleRing)
	r.Workload.Sizes = []units.Bytes{units.MiB}
	if _, err := sim.Run(t.Context(), r, sim.Options{Skip: rate(1), Seeds: 2, Cache: refusing{t}}); err != nil {
		t.Error(err)
	}
}

func TestSkipIsRefusedWhereItMeansNothing(t *testing.T) {
	r := simtest.Resolve(t, "fabrics: [roce-v2-400g]\n"+singleRing)
	for name, o := range map[string]sim.Options{
		"check":  {Skip: rate(1), Exact: sim.ExactCheck},
		"series": {Skip: rate(1), Series: func(*results.Series) {}},
		"live":   {Skip: rate(1), Live: new(sim.Live)},
		"bound":  {Skip: rate(11)},
	} {
		if _, err := sim.Run(t.Context(), r, o); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestTextOfSkip(t *testing.T) {
	for text, want := range map[string]string{"rate=1%": "rate=1%", "rate=0.1%": "rate=0.1%", "rate=10%": "rate=10%", "rate=1/50": "rate=2%", "rate=1/70": "rate=1/70"} {
		var s sim.Skip
		if err := s.UnmarshalText([]byte(text)); err != nil {
			t.Errorf("%s: %v", text, err)
		}
		if got, _ := s.MarshalText(); string(got) != want {
			t.Errorf("%s is written as %s", text, got)
		}
	}
	for _, text := range []string{"", "foo", "rate", "rate=", "rate=0", "rate=0%", "rate=-1%", "rate=200%", "rate=10.1%", "rate=NaN", "1%"} {
		s := rate(1)
		if err := s.UnmarshalText([]byte(text)); err == nil || s != rate(1) {
			t.Errorf("%q: %v, %+v", text, err, s)
		}
	}
}
