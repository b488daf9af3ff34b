package report

import (
	"bytes"
	"math"
	"strconv"
	"strings"
	"testing"

	"weft/internal/base/stats"
	"weft/internal/face/doc"
	"weft/internal/study/collisions"
	"weft/internal/study/tune"
	"weft/internal/test/golden"
	"weft/scenario"
)

// madeUpTuning is an outcome with all parts.
func madeUpTuning() *tune.Result {
	score := func(x float64) *float64 { return &x }
	return &tune.Result{
		Version: tune.ResultVersion, Scenario: "incast", Fabric: "roce-v2-400g",
		Objective: map[string]float64{"time": 1, "pauses": 0.02}, Seeds: []uint64{1, 2, 3}, HeldOut: []uint64{4, 5, 6, 7},
		Parameters: []tune.Tuned{
			{Path: "fabrics[0].ethernet.ecn.kmin", Range: "50KB to 5MB", Stands: "1.6MB", Tuned: "800KB"},
			{Path: "fabrics[0].routing.mode", Range: "ecmp, spray", Stands: "ecmp", Tuned: "spray"},
		},
		Search: tune.Search{
			Candidates: 3, Failed: 1, FailedWhy: "deadlock at 3 us:\n  nic-0 waits for leaf-1", Impossible: 2, ImpossibleWhy: "kmin 2MB is more than kmax 1MB",
			Stands: 1, Best: 0.8, Steps: []tune.Step{{Candidates: 0, Score: 1}, {Candidates: 1, Score: 0.9}, {Candidates: 2, Score: 0.9}, {Candidates: 3, Score: 0.8}},
		},
		Proof: &tune.Proof{
			Improvement: stats.Interval{Mean: 0.15, Low: 0.1, High: 0.2}, Better: 4, Pairs: 4, Verdict: tune.Better,
			Measures: []tune.Measure{
				{Bytes: 1 << 20, Name: "time", Unit: tune.Picoseconds, Stands: 2e9, Tuned: 1.7e9, Change: stats.Interval{Mean: -3e8, Low: -4e8, High: -2e8}},
				{Bytes: 1 << 20, Name: "pauses", Unit: tune.PerThousand, Stands: 3, Tuned: 0.5, Change: stats.Interval{Mean: -2.5, Low: -3, High: -2}},
				{Bytes: 1 << 20, Name: "fairness", Unit: tune.Share, Stands: 0.1, Tuned: 0.1},
			},
		},
		Sensitivity: []tune.Profile{
			{Path: "fabrics[0].ethernet.ecn.kmin", Spread: 0.5, Points: []tune.Point{
				{Value: "50KB", Place: 0, Score: score(1.2)}, {Value: "800KB", Place: 0.6, Score: score(0.8), Tuned: true}, {Value: "5MB", Place: 1, Why: "kmin above kmax"},
			}},
			{Path: "fabrics[0].routing.mode", Spread: 0.75, Points: []tune.Point{
				{Value: "ecmp", Place: 0.25, Score: score(1.4)}, {Value: "spray", Place: 0.75, Score: score(0.8), Tuned: true},
			}},
		},
	}
}

// TestAWorseOutcomeIsHigherNotNegativelyLower: the words higher and lower give the
// direction of the change if the proof is undecided.
func TestAWorseOutcomeIsHigherNotNegativelyLower(t *testing.T) {
	r := madeUpTuning()
	r.Found, r.Proof.Verdict, r.Proof.Improvement = true, tune.Undecided, stats.Interval{Mean: -.025, Low: -.057, High: .006}
	want := "the objective is 2.5 % higher on average (95 % interval: 5.7 % higher to 0.6 % lower)"
	if got := verdictOfTuning(r); !strings.Contains(got, want) {
		t.Errorf("%q has no %q", got, want)
	}
}

// TestAnAxisIsCloseToItsValues: even a gain of 1 % is more than a tenth of the plot.
// The labels are the values of their ticks.
func TestAnAxisIsCloseToItsValues(t *testing.T) {
	for _, values := range [][2]float64{{.992, 1}, {.2, 1}, {1, 1}, {1, 1.11}, {1, 3.7}} {
		least, most := ends(values[0], values[1])
		if least > values[0] || most < values[1] || values[1] > values[0] && (values[1]-values[0])/(most-least) < .1 {
			t.Errorf("an axis from %g to %g for values from %g to %g", least, most, values[0], values[1])
		}
		for _, tick := range linearTicks(least, most) {
			if label, err := strconv.ParseFloat(relativeNumber(tick), 64); err != nil || math.Abs(label-tick) > 1e-9 {
				t.Errorf("values from %g to %g: a tick at %g has the label %g", values[0], values[1], tick, label)
			}
		}
	}
}

func TestATuningOnTheTerminalAndThePage(t *testing.T) {
	var text, page bytes.Buffer
	if err := Tune(tuned(madeUpTuning()), nil, nil).Terminal(&text, doc.Style{}); err != nil {
		t.Fatal(err)
	}
	golden.File(t, "testdata/tune.txt", text.String())
	if err := Tune(tuned(madeUpTuning()), []NamedText{{"configs/nccl.conf", "NCCL_IB_TC=104\n"}}, []byte("name: incast\n")).HTML(&page); err != nil {
		t.Fatal(err)
	}
	golden.File(t, "testdata/tune.html", page.String())
	selfContained(t, page.String())
}

// tuned marks a result as improved.
func tuned(r *tune.Result) *tune.Result {
	r.Found = true
	return r
}

// The first sentence claims only what the proof shows.
func TestTheVerdictOfATuningFollowsItsProof(t *testing.T) {
	for _, c := range []struct {
		change func(*tune.Result)
		want   string
	}{
		{func(*tune.Result) {}, "15.0 % less"},
		{func(r *tune.Result) { r.Proof.Verdict, r.Proof.Improvement.Low = tune.Undecided, -0.01 }, "No improvement is shown"},
		{func(r *tune.Result) {
			r.Proof.Verdict, r.Proof.Improvement = tune.Worse, stats.Interval{Mean: -0.2, Low: -0.3, High: -0.1}
		}, "worse by 20.0 % (95 % interval 10.0 % to 30.0 %)"},
		{func(r *tune.Result) { r.Proof.Failed, r.Proof.FailedWhy = 1, "deadlock" }, "Do not take these values: on 1 of 4"},
		{func(r *tune.Result) { r.Proof = nil }, "Interrupted before the proof"},
		{func(r *tune.Result) { r.Proof.Pairs = 1 }, "There is no proof"},
		{func(r *tune.Result) { r.Found = false }, "they stay"},
		{func(r *tune.Result) { r.Found, r.Partial = false, true }, "Interrupted before the search found anything better"},
	} {
		r := tuned(madeUpTuning())
		c.change(r)
		if got := tuneSentences(r)[0]; !strings.Contains(got, c.want) {
			t.Errorf("the verdict is %q, want %q", got, c.want)
		}
	}
}

func TestCollisionsOnTheTerminalAndThePage(t *testing.T) {
	quantiles := func(x float64) collisions.Quantiles {
		return collisions.Quantiles{Least: x - 0.1, P10: x - 0.05, Median: x, P90: x + 0.05, Most: x + 0.1}
	}
	size := func(nodes int, lost float64) collisions.Size {
		return collisions.Size{Nodes: nodes, Ranks: 8 * nodes, Reference: 90, Cells: []collisions.Cell{
			{BusBW: quantiles(90 * (1 - lost)), Lost: quantiles(lost), Measured: 20},
			{Failed: 20, FailedWhy: "deadlock at 3 us"},
		}}
	}
	r := &collisions.Result{
		Version: 1, Scenario: "as the job grows", Fabric: "roce-v2-100g", Workload: "all-reduce", Bytes: 32 << 20, HashSeeds: 20, Oversubscription: "2",
		Policies: []collisions.Policy{{Name: "ecmp, 1 QP", Mode: scenario.ECMP, QPs: 1}, {Name: "spray", Mode: scenario.Spray}},
		Sizes:    []collisions.Size{size(2, 0.1), size(4, 0.3), size(8, 0.5)},
	}
	var text, page bytes.Buffer
	if err := Collisions(r, nil).Terminal(&text, doc.Style{}); err != nil {
		t.Fatal(err)
	}
	golden.File(t, "testdata/collisions.txt", text.String())
	if err := Collisions(r, []byte("name: as the job grows\n")).HTML(&page); err != nil {
		t.Fatal(err)
	}
	golden.File(t, "testdata/collisions.html", page.String())
	selfContained(t, page.String())
}
