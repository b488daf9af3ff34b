package advise

import (
	"context"
	"strings"
	"testing"

	"weft/internal/study/plan"

	"weft/internal/sim"
	"weft/internal/study/serve"
	"weft/results"
	"weft/scenario"
	"weft/units"
)

// servingProfile is a profile with a serving job.
const servingProfile = `name: serving
design: {gpus: 64, node: dgx-h100, shapes: [fat-tree], switches: [qm9700, 7060x6-64pe], job: {serving: {model: llama3-8b, prefill: {nodes: 6, tensor: 8}, decode: {nodes: 2, tensor: 8}, load: {rate: 10}}}}
`

// madeUp is a job that stops to keep its limits at a rate.
func madeUp(rate float64) *serve.Limit {
	run := &results.ServingRun{Good: 1, FirstToken: results.ServingTimes{P99: int64(units.Second)}}
	if rate < 10 {
		run.Good = 0.5
	}
	return &serve.Limit{
		Rate: rate, Alone: 40, Step: 2, Full: results.ServingLoad{Resource: "prefill's time"},
		At: &results.ServingPoint{Rate: 10, Fabrics: []results.ServingFabric{{Run: run}}},
	}
}

// The better rate wins in performance, and changes are ranked by the rate that they reach. One that cannot be is named
// with the reason and is no counsel.
func TestAServingJobIsComparedByTheRateAtWhichItBreaks(t *testing.T) {
	p, err := Read("profile.yaml", []byte(servingProfile))
	if err != nil {
		t.Fatal(err)
	}
	search := func(_ context.Context, r *scenario.Resolved, _ serve.Options) (*serve.Limit, error) {
		f := &r.Fabrics[0]
		switch {
		case f.Kind == scenario.InfiniBandKind:
			return madeUp(30), nil
		case f.Routing.Mode == scenario.Spray:
			return madeUp(36), nil
		case r.Serving.Prefill.Nodes == 7:
			return nil, &serve.MemoryError{}
		case f.Routing.Mode == scenario.Adaptive:
			return madeUp(24), nil
		}
		return madeUp(8), nil
	}
	a, err := Make(t.Context(), p, nil, Options{Simulate: sim.Run, Serve: search})
	if err != nil {
		t.Fatal(err)
	}
	c := a.Verdict.Criteria[0]
	if c.Name != "performance" || c.Points[0] != 25 || c.Points[1] < 6.6 || c.Points[1] > 6.7 {
		t.Errorf("limits at 30 and 8 requests in a second give %v of 25 points", c.Points)
	}
	if want := "keeps its limits up to 8 requests in a second (40 without a network); at the 10 asked"; !strings.Contains(c.Cells[1].Text, want) {
		t.Errorf("the cell %q does not say %q", c.Cells[1].Text, want)
	}
	if s := a.Candidates[1].Performance.Serving; s.Keeps() || !a.Candidates[0].Performance.Serving.Keeps() {
		t.Errorf("half of the requests are good at 10 in a second: %+v", s)
	}
	if m := a.Moves[0]; m.Fabric != "plain RoCE v2" || m.Change != "routing spray" || m.gain() != 36.0/8 || !m.Helps() {
		t.Errorf("the first change is %+v", m)
	}
	if m := a.Moves[1]; m.Change != "routing adaptive" {
		t.Errorf("the second change is %+v", m)
	}
	for _, m := range a.Moves {
		if strings.HasPrefix(m.Change, "nodes of decode") && m.Fabric == "RoCE v2" && (m.Helps() || m.Refused == "" && m.After == nil) {
			t.Errorf("a change that cannot be: %+v", m)
		}
		if strings.HasPrefix(m.Change, "DCQCN off") && m.Helps() {
			t.Errorf("a change without effect helps: %+v", m)
		}
	}
}

func TestAServingJobThatMakesNoSenseIsRefused(t *testing.T) {
	for text, want := range map[string]string{
		"{gpus: 64, job: {serving: {model: llama3-70b, prefill: {nodes: 6, tensor: 8}, decode: {nodes: 6, tensor: 8}}}}": "design.job.serving.prefill.nodes: prefill takes 6 nodes and decode 6, the cluster has 8",
		"{gpus: 64, job: {serving: {model: llama3-70b}, training: {model: llama3-8b}}}":                                  "a training job and a serving job: want one of the two",
		"{gpus: 64, job: {serving: {model: llama9}}}":                                                                    "design.job.serving.model",
	} {
		if _, err := Read("profile.yaml", []byte("design: "+text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

// A serving job is not scaled: its pools are what is asked about.
func TestAServingJobIsSimulatedWhole(t *testing.T) {
	d := planned(t, "{gpus: 512, fabrics: infiniband, shapes: rail-optimised, job: {serving: {model: llama3-8b, prefill: {tensor: 8}, decode: {tensor: 8}}}}")
	if _, err := plan.ModelNodes(16, d); err == nil || !strings.Contains(err.Error(), "allow 64") {
		t.Errorf("64 nodes in a model of 16: %v", err)
	}
	if n, err := plan.ModelNodes(64, d); n != 64 || err != nil {
		t.Errorf("64 nodes in a model of 64: %d, %v", n, err)
	}
	r, err := plan.Scaled(d, plan.NewModel(d, 64, 1))
	if err != nil || r.Serving.Prefill.Nodes != 32 || r.Serving.Decode.Nodes != 32 {
		t.Errorf("pools without nodes share them: %v", err)
	}
}
