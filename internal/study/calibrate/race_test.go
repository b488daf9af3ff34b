package calibrate

import (
	"context"
	"encoding/json"
	"math"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"

	"weft/internal/formats/logfile"
	"weft/internal/sim"
	"weft/results"
	"weft/scenario"
	"weft/units"
)

// raced is a diagnosis with the simulations that it asked for: their number and the bytes of their
// sizes.
type raced struct {
	*Diagnosis
	simulations, bytes int64
}

// counter counts simulations, known or not.
type counter struct{ simulations, bytes atomic.Int64 }

func (n *counter) run(
	ctx context.Context, r *scenario.Resolved, o sim.Options,
) (*results.Results, error) {
	n.simulations.Add(int64(max(1, len(r.Workload.Sizes))))
	for _, size := range r.Workload.Sizes {
		n.bytes.Add(int64(size))
	}
	return simulateOnce(ctx, r, o)
}

// diagnoseBy diagnoses a log, and counts the simulations.
func diagnoseBy(t *testing.T, c *Cluster, l *logfile.Log, o Options) raced {
	t.Helper()
	var n counter
	o.Simulate = n.run
	d, err := c.Diagnose(t.Context(), l, o)
	if err != nil {
		t.Fatal(err)
	}
	return raced{d, n.simulations.Load(), n.bytes.Load()}
}

// agrees compares a race with the diagnosis that simulates every variant at every size: verdict and
// first cause are the same, and probabilities are as far apart as what was left out can make them.
func agrees(t *testing.T, name string, race, whole raced) {
	t.Helper()
	if race.Verdict != whole.Verdict {
		t.Errorf("%s: the verdict is %s, want %s", name, race.Verdict, whole.Verdict)
	}
	if apart := whole.Healthy - race.Healthy; apart > race.Open+.01 || apart < -.01 {
		t.Errorf("%s: healthy has %.4f, and %.4f is open; want %.4f",
			name, race.Healthy, race.Open, whole.Healthy)
	}
	if race.Healthy < certain && race.Open > worthTelling {
		t.Errorf("%s: %.4f is open", name, race.Open)
	}
	if race.Verdict != Healthy {
		one := &race.Explanations[0]
		other := &whole.Explanations[slices.IndexFunc(whole.Explanations, func(e Explanation) bool { return e.ID == one.ID })]
		first := whole.Explanations[0].Posterior
		most := (one.Posterior + race.Open) / (1 - race.Open) // if what is open belongs to the first cause, or to none
		if other.Posterior < first-refined || other.Posterior > most+.01 || other.Posterior < one.Posterior-refined {
			t.Errorf("%s: the first cause is %s, %s, with %.3f; want %s, %s, with %.3f", name,
				one.ID, one.Label, one.Posterior, other.ID, other.Label, other.Posterior)
		}
	}
}

// refined is what severities between those tried change in a probability: each diagnosis has those that
// its own simulations ask for.
const refined = .05

// TestARaceHasTheWinnerOfAll diagnoses logs of the small cluster, and logs that arithmetic wrote,
// with and without a race.
func TestARaceHasTheWinnerOfAll(t *testing.T) {
	var some, all int64
	compare := func(name string, race, whole raced) {
		agrees(t, name, race, whole)
		t.Logf("%s: %d of %d simulations, %d of %d bytes, %s, healthy %.3f, open %.4f",
			name, race.simulations, whole.simulations, race.bytes, whole.bytes,
			race.Verdict, race.Healthy, race.Open)
		if race.simulations > whole.simulations {
			t.Errorf("%s: %d simulations, and %d without a race",
				name, race.simulations, whole.simulations)
		}
		some, all = some+race.bytes, all+whole.bytes
	}
	c := describe(t, small)
	both := func(name, log string) {
		l, o := read(t, log)[0], Options{Known: .06}
		race := diagnoseBy(t, c, l, o)
		o.whole = true
		compare(name, race, diagnoseBy(t, c, l, o))
	}
	both("healthy", measure(t, "all-reduce", 7))
	for i, f := range hiddenFaults {
		over := scenario.Override{Path: f.path, Value: f.value, Origin: "fault"}
		both(f.fault, measure(t, f.op, uint64(i), over))
	}
	c = describe(t, "cluster: {nodes: 2, node: dgx-h100}\nfabric: infiniband-ndr")
	known := make(map[string]*simulations)
	var n counter
	for i := range plantedFaults {
		p, o := &plantedFaults[i], Options{Simulate: n.run, Nodes: 2, coarse: true}
		if p.nodes != 2 {
			continue
		}
		l, _ := written(t, p, rand.New(rand.NewPCG(0, uint64(i))))
		d, err := c.lay(l, o)
		if err != nil {
			t.Fatal(err)
		}
		concludeBy(t, c, d, o, known)
		all := raced{d, n.simulations.Load(), n.bytes.Load()}
		compare(p.id+", "+p.what, diagnoseBy(t, c, l, o), all)
	}
	if some > all*2/3 {
		t.Errorf("%d B are simulated, want at most two thirds of %d B", some, all)
	}
}

// TestARaceIsTheSameOnAnyCores has the same bytes of a diagnosis on one core and on several.
func TestARaceIsTheSameOnAnyCores(t *testing.T) {
	c, log := describe(t, small), measure(t, "all-reduce", 3)
	var want string
	for _, workers := range []int{1, 2, 5} {
		d := diagnoseBy(t, c, read(t, log)[0], Options{Known: .06, Workers: workers})
		text, err := json.Marshal(d.Record(""))
		if err != nil {
			t.Fatal(err)
		}
		if want == "" {
			want = string(text)
		}
		if string(text) != want {
			t.Errorf("on %d cores the diagnosis is\n%s\nwant\n%s", workers, text, want)
		}
	}
}

// TestNoTimeGivesMoreThanTheBound draws times for sizes that are not known. None gives the log a
// larger density than the bound does, which the race relies on, and the best of them comes near it.
func TestNoTimeGivesMoreThanTheBound(t *testing.T) {
	c := describe(t, small)
	d, err := c.lay(read(t, measure(t, "all-reduce", 3))[0], Options{})
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for _, p := range d.Tasks[0].Points {
		d.Predicted = append(d.Predicted, []units.Time{p.Measured})
	}
	d.Predicted = [][]units.Time{slices.Concat(d.Predicted...)}
	points := len(d.Predicted[0])
	for hidden := range 1 << points {
		times, best := slices.Clone(d.Predicted[0]), math.Inf(-1)
		for i := range times {
			times[i] = units.Time(float64(times[i]) * math.Exp(.3*rng.NormFloat64()))
			if hidden>>i&1 == 1 {
				times[i] = unknown
			}
		}
		bound := d.density([][]units.Time{times}, faulty)
		for range 500 {
			drawn := slices.Clone(times)
			for i := range drawn {
				if drawn[i] == unknown {
					around := float64(d.Predicted[0][i])
					drawn[i] = units.Time(around * math.Exp(.3*rng.NormFloat64()))
				}
			}
			best = max(best, d.density([][]units.Time{drawn}, faulty))
		}
		if best > bound+1e-9 || best < bound-3 {
			t.Errorf("sizes %b hidden: a time gives %.3f, and the bound is %.3f", hidden, best, bound)
		}
	}
}
