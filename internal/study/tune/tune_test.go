package tune

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"weft/internal/sim"
	"weft/internal/study/ledger"
	"weft/internal/study/many"
	"weft/results"
	"weft/scenario"
	"weft/units"
)

// base is a scenario whose time is made up by valley.
const base = `
name: made up
cluster: {nodes: 2, node: dgx-h100}
topology: {shape: single-switch}
fabrics: [roce-v2-400g]
workload: {pattern: incast, fan-in: 4, sizes: [1MiB]}
`

const two = base + `tune:
  runs: 400
  parameters:
    - {path: "fabrics[0].ethernet.ecn.kmin", from: 10KB, to: 10MB}
    - {path: "fabrics[0].ethernet.ecn.kmax", from: 10KB, to: 10MB}
    - {path: "fabrics[0].routing.mode", values: [ecmp, flowlet, spray]}
`

// small is base with half the budget, for tests that need few candidates.
var small = strings.Replace(two, "runs: 400", "runs: 200", 1)

// valley is a simulator whose time is least at kmin 300 KB, kmax 3 MB and spray. Its noise depends
// on the seed alone, so it is the same for all candidates.
func valley(_ context.Context, r *scenario.Resolved, _ sim.Options) (*results.Results, error) {
	f := &r.Fabrics[0]
	far := func(x units.Bytes, best float64) float64 { return math.Pow(math.Log10(float64(x)/best), 2) }
	cost := 1 + far(f.Ethernet.ECN.Kmin, 3e5) + far(f.Ethernet.ECN.Kmax, 3e6)
	if f.Routing.Mode != scenario.Spray {
		cost += 0.5
	}
	cost *= 1 + 0.1*float64(r.Run.Seed%7)
	t := units.Time(cost * float64(units.Millisecond))
	return &results.Results{Fabrics: []results.FabricResult{{Points: []results.Point{{
		Bytes: 1 << 20, Time: t, BusBW: 1,
		Flows:  results.Distribution{N: 1, P99: t, Fairness: 1},
		Counts: results.Counts{Packets: 1000, Pauses: 3},
	}}}}}, nil
}

func problem(t *testing.T, text string) *Problem {
	t.Helper()
	f, err := scenario.Decode("test.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	p, err := New(f)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func tuned(t *testing.T, text string, o Options) *Result {
	t.Helper()
	if o.Run == nil {
		o.Run = valley
	}
	r, err := Run(t.Context(), problem(t, text), o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestTheSearchFindsTheValley(t *testing.T) {
	r := tuned(t, two, Options{Workers: 4})
	if got := r.Parameters[2].Tuned; got != "spray" {
		t.Errorf("the mode is %s, want spray", got)
	}
	for i, best := range []float64{3e5, 3e6} {
		b, err := units.ParseBytes(r.Parameters[i].Tuned)
		if err != nil {
			t.Fatal(err)
		}
		if off := math.Abs(math.Log10(float64(b) / best)); off > 0.2 {
			t.Errorf("%s is %s, want %.0f B within a factor of 1.6", r.Parameters[i].Path, r.Parameters[i].Tuned, best)
		}
	}
	// The noise is one factor for all candidates, so it is the only difference between pairs.
	stands := 1 + math.Pow(math.Log10(1.6e6/3e5), 2) + math.Pow(math.Log10(6.4e6/3e6), 2) + 0.5
	most := 1 - 1/stands
	if p := r.Proof; p.Verdict != Better || p.Better != p.Pairs || p.Improvement.Mean > most || p.Improvement.Mean < most-0.03 {
		t.Errorf("the proof says %+v, want an improvement of a little less than %.3f on all seeds", p, most)
	}
}

func TestTheOutcomeDoesNotDependOnCoresOrOnAnInterruption(t *testing.T) {
	want, err := json.Marshal(tuned(t, small, Options{Workers: 1}))
	if err != nil {
		t.Fatal(err)
	}
	seven, _ := json.Marshal(tuned(t, small, Options{Workers: 7}))
	if string(seven) != string(want) {
		t.Error("seven cores and one core give different outcomes")
	}
	dir, p := t.TempDir(), problem(t, small)
	shared := func(run many.Runner) (many.Runner, *ledger.Ledger) {
		l, err := ledger.Open(dir, "me")
		if err != nil {
			t.Fatal(err)
		}
		return many.NewSharing(l, "v1", 3).Runner(run), l
	}
	for _, after := range []int64{1, 30, 50} {
		ctx, stop := context.WithCancel(t.Context())
		var n atomic.Int64
		run, l := shared(func(ctx context.Context, r *scenario.Resolved, o sim.Options) (*results.Results, error) {
			if n.Add(1) == after {
				stop()
			}
			return valley(ctx, r, o)
		})
		_, err := Run(ctx, p, Options{Workers: 3, Run: run})
		stop()
		if !errors.Is(err, context.Canceled) && n.Load() >= after {
			t.Fatalf("stopped after %d simulations: %v", after, err)
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	}
	run, l := shared(valley)
	defer l.Close()
	if l.Len() < 70 {
		t.Errorf("%d simulations are kept after interruptions, want 70 and more", l.Len())
	}
	again, _ := json.Marshal(tuned(t, small, Options{Workers: 2, Run: run}))
	if string(again) != string(want) {
		t.Errorf("after interruptions the outcome differs:\n%s\nwant\n%s", again, want)
	}
}

// A folder that cannot be written ends the search: its simulations have not failed.
func TestAFolderThatCannotBeWrittenEndsTheSearch(t *testing.T) {
	l, err := ledger.Open(t.TempDir(), "me")
	if err != nil {
		t.Fatal(err)
	}
	var n atomic.Int64
	run := many.NewSharing(l, "v1", 1).Runner(func(ctx context.Context, r *scenario.Resolved, o sim.Options) (*results.Results, error) {
		if n.Add(1) == 10 {
			l.Close()
		}
		return valley(ctx, r, o)
	})
	var folder *many.FolderError
	if r, err := Run(t.Context(), problem(t, small), Options{Workers: 1, Run: run}); r != nil || !errors.As(err, &folder) {
		t.Errorf("the outcome is %+v, %v, want the error of the folder", r, err)
	}
}

func TestTheBudgetIsKept(t *testing.T) {
	for _, runs := range []string{"60", "100", "333"} {
		var n atomic.Int64
		text := strings.Replace(two, "runs: 400", "runs: "+runs+"\n  seeds: 2\n  held-out: 4\n  levels: 3", 1)
		p := problem(t, text)
		_, err := Run(t.Context(), p, Options{Workers: 2, Run: func(ctx context.Context, r *scenario.Resolved, o sim.Options) (*results.Results, error) {
			n.Add(1)
			return valley(ctx, r, o)
		}})
		if err != nil {
			t.Fatal(err)
		}
		if got, most := n.Load(), int64(p.Stands.Tune.Runs); got > most || got < most/2 {
			t.Errorf("%d simulations were made of %d", got, most)
		}
	}
}

func TestAllCombinationsAreTriedIfTheyFitTheBudget(t *testing.T) {
	r := tuned(t, base+`tune:
  parameters:
    - {path: "fabrics[0].routing.mode", values: [ecmp, flowlet, spray]}
    - {path: "fabrics[0].transport.qps-per-connection", values: [1, 2, 4]}
`, Options{Workers: 2})
	if !r.Search.Combinations || r.Search.Candidates != 9 || r.Parameters[0].Tuned != "spray" {
		t.Errorf("the search was %+v, and found %+v; want all 9, and spray", r.Search, r.Parameters)
	}
}

func TestNoImprovementIsClaimedWithoutAGain(t *testing.T) {
	flat := func(ctx context.Context, r *scenario.Resolved, o sim.Options) (*results.Results, error) {
		out, err := valley(ctx, r, o)
		out.Fabrics[0].Points[0].Time = units.Millisecond
		return out, err
	}
	if r := tuned(t, small, Options{Workers: 2, Run: flat}); r.Found || r.Proof != nil || r.Parameters[0].Tuned != r.Parameters[0].Stands || !r.Search.NoDifference || !r.Search.Unmarked || r.Search.Unpaused {
		t.Errorf("on a plain the outcome is %v, proof %+v, search %+v; want that the scenario stays, nothing made a difference, and nothing was marked", r.Best(), r.Proof, r.Search)
	}
	if r := tuned(t, small, Options{Workers: 2}); r.Search.NoDifference || r.Search.Unmarked {
		t.Errorf("in a valley the search says %+v: want differences", r.Search)
	}
	// The best candidate on the seeds of the search, 1 to 3, is worse on others.
	lucky := func(ctx context.Context, r *scenario.Resolved, o sim.Options) (*results.Results, error) {
		out, err := valley(ctx, r, o)
		if p := &out.Fabrics[0].Points[0]; r.Run.Seed > 3 && r.Fabrics[0].Routing.Mode == scenario.Spray {
			p.Time *= 20
		}
		return out, err
	}
	if r := tuned(t, small, Options{Workers: 2, Run: lucky}); r.Proof.Verdict != Worse || r.Search.Improvement() <= 0 {
		t.Errorf("a search that fits its seeds is %s, want worse; on its own seeds it gained %.2f", r.Proof.Verdict, r.Search.Improvement())
	}
}

// A parameter without effect keeps its value.
func TestAParameterWithoutEffectKeepsItsValue(t *testing.T) {
	idle := strings.Replace(small, "ethernet.ecn.kmax", "ethernet.pfc.reserve", 1)
	r := tuned(t, idle, Options{Workers: 2})
	if got := r.Parameters[1]; got.Tuned != got.Stands {
		t.Errorf("%s has no effect, and changes from %s to %s", got.Path, got.Stands, got.Tuned)
	}
	if r.Parameters[2].Tuned != "spray" || !r.Found {
		t.Errorf("the mode is %s, want spray", r.Parameters[2].Tuned)
	}
}

func TestACandidateThatFailsIsWorseThanAny(t *testing.T) {
	fragile := func(ctx context.Context, r *scenario.Resolved, o sim.Options) (*results.Results, error) {
		if r.Fabrics[0].Routing.Mode == scenario.Spray {
			return nil, errors.New("deadlock at 3 us")
		}
		return valley(ctx, r, o)
	}
	r := tuned(t, small, Options{Workers: 2, Run: fragile})
	if r.Parameters[2].Tuned == "spray" || r.Search.Failed == 0 || !strings.Contains(r.Search.FailedWhy, "deadlock") {
		t.Errorf("the outcome is %+v, %d failed: %s", r.Parameters, r.Search.Failed, r.Search.FailedWhy)
	}
	broken := func(context.Context, *scenario.Resolved, sim.Options) (*results.Results, error) {
		return nil, errors.New("deadlock at 3 us")
	}
	var stands *StandsError
	if _, err := Run(t.Context(), problem(t, small), Options{Run: broken}); !errors.As(err, &stands) {
		t.Errorf("if the scenario itself fails the error is %v", err)
	}
}

func TestAScoreIsTheWeightedSum(t *testing.T) {
	stands := &Outcome{Sizes: []Figures{{TimePs: 100, TailPs: 50, Fairness: 1}}}
	got := &Outcome{Sizes: []Figures{{TimePs: 80, TailPs: 100, Pauses: 5, Packets: 1000, Fairness: 0.75}}}
	ratio := func(num, den int64) scenario.Ratio { return scenario.Ratio{Num: num, Den: den} }
	o := &scenario.Objective{Time: ratio(1, 1), Tail: ratio(1, 2), Pauses: ratio(1, 10), Fairness: ratio(2, 1)}
	if x, want := score(o, got, stands), 0.8+0.5*2+0.1*5+2*0.25; math.Abs(x-want) > 1e-12 {
		t.Errorf("the score is %v, want %v", x, want)
	}
	if x := score(o, &Outcome{Failed: "deadlock"}, stands); !math.IsInf(x, 1) {
		t.Errorf("a failed candidate scores %v", x)
	}
	got.Sizes[0].Lost = 3
	if x := score(o, got, stands); !math.IsInf(x, 1) {
		t.Errorf("a candidate that is fast because it loses messages scores %v", x)
	}
	stands.Sizes[0].Lost = 3
	if x := score(o, got, stands); math.IsInf(x, 1) {
		t.Error("a candidate that loses no more than the scenario as it stands has no score")
	}
}

func TestPlacesBeyondTheCubeAreMirrored(t *testing.T) {
	for x, want := range map[float64]float64{0: 0, 0.3: 0.3, 1: 1, 1.2: 0.8, -0.2: 0.2, 2.3: 0.3, -1.4: 0.6} {
		if got := mirrored(x); math.Abs(got-want) > 1e-12 {
			t.Errorf("%v is mirrored to %v, want %v", x, got, want)
		}
	}
}

func TestEveryValueOfAnEnumerationIsInItsProfile(t *testing.T) {
	r := tuned(t, small, Options{Workers: 2})
	var values []string
	for _, x := range r.Sensitivity[2].Points {
		values = append(values, x.Value)
	}
	if want := []string{"ecmp", "flowlet", "spray"}; !slices.Equal(values, want) {
		t.Errorf("the profile has %v, want %v", values, want)
	}
	// ecmp costs 0.5 more than spray, whose cost is 1 and a little.
	if s := r.Sensitivity[2].Spread; s < 0.42 || s > 0.5 {
		t.Errorf("the mode matters by %.3f, want about 0.5", s)
	}
}
