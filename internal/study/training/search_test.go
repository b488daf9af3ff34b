package training

import (
	"context"
	"errors"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"weft/internal/sim"
	"weft/internal/sim/workload/pipeline"
	"weft/internal/test/simtest"
	"weft/results"
	"weft/scenario"
	"weft/units"
)

// searched searches the division of a job.
func searched(t *testing.T, text string, simulate int) (*results.TrainingDivisions, error) {
	t.Helper()
	file, err := scenario.Decode("t.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	s := Search{Simulate: simulate, Resolve: file.Resolve, Flag: "t"}
	s.Workers = 1
	return s.Run(context.Background(), simtest.Resolve(t, text))
}

// The steps of a search are those of the jobs with its divisions, the fastest first, and the scenario's own is among them.
func TestASearchSimulatesWhatItNames(t *testing.T) {
	job := tinyJob(denseModel, "tensor: 8, pipeline: 2")
	out, err := searched(t, job, 2)
	if err != nil {
		t.Fatal(err)
	}
	if out.Simulated != len(out.Divisions) || !slices.ContainsFunc(out.Divisions, func(d results.TrainingDivision) bool { return d.Given }) {
		t.Errorf("%d of %d divisions are simulated, the scenario's own among them or not", out.Simulated, len(out.Divisions))
	}
	last := int64(0)
	for _, d := range out.Divisions {
		if d.Fastest() < last {
			t.Errorf("a step of %d ps stands behind one of %d", d.Fastest(), last)
		}
		last = d.Fastest()
		own := strings.Replace(job, "parallel: {tensor: 8, pipeline: 2}\n  batch: {global: 32}", strings.ReplaceAll(strings.Replace(d.Fields, "batch: {", "batch: {global: 32, ", 1), "}, ", "}\n  "), 1)
		alone := trainStep(t, own, Options{Workers: 1})
		for i := range alone.Fabrics {
			if d.Fabrics[i].StepPs != alone.Fabrics[i].StepPs {
				t.Errorf("%s takes %d ps on %s in the search and %d alone", d.Fields, d.Fabrics[i].StepPs, d.Fabrics[i].Name, alone.Fabrics[i].StepPs)
			}
		}
	}
	if given := out.Divisions[len(out.Divisions)-1]; !given.Given || out.Divisions[0].Fastest()*2 > given.Fastest() {
		t.Errorf("eight GPUs for a layer of 512 take %d ps, the best of a search %d: more than half", given.Fastest(), out.Divisions[0].Fastest())
	}
}

// A search that is stopped while it simulates the first division keeps its estimates.
func TestAStoppedSearchHasItsEstimates(t *testing.T) {
	text := tinyJob(denseModel, "tensor: 8, pipeline: 2")
	file, err := scenario.Decode("t.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	s := Search{Simulate: 2, Resolve: file.Resolve, Flag: "t"}
	s.Workers, s.Progress = 1, func(sim.Progress) { cancel() }
	out, err := s.Run(ctx, simtest.Resolve(t, text))
	if err != nil || !out.Partial || out.Simulated != 0 {
		t.Fatalf("a stopped search gives %+v, error %v: want a partial one without simulated steps", out, err)
	}
	if len(out.Divisions) < shownEstimates {
		t.Fatalf("a stopped search has %d divisions, want %d estimates or more", len(out.Divisions), shownEstimates)
	}
	for i := range out.Divisions {
		if d := &out.Divisions[i]; len(d.Fabrics) > 0 || d.EstimatePs <= 0 {
			t.Errorf("%s has steps %v and the estimate %d ps: want an estimate alone", d.Fields, d.Fabrics, d.EstimatePs)
		}
	}
}

// An estimate is near the simulated step where links do not collide: within a tenth.
func TestAnEstimateIsNearTheSimulatedStep(t *testing.T) {
	const job = `
cluster: {nodes: 2, node: dgx-h100}
topology: {shape: rail-optimised}
fabrics: [infiniband-ndr]
training:
  model: {layers: 8, hidden: 4096, ffn: 14336, gated: true, heads: 32, kv-heads: 8, head-dim: 128, vocab: 32000, sequence: 4096}
  batch: {global: 64}
`
	r := simtest.Resolve(t, job)
	for _, p := range []string{"", "  parallel: {tensor: 4}\n", "  parallel: {tensor: 2, pipeline: 4}\n", "  parallel: {pipeline: 2, interleave: 2}\n", "  parallel: {zero: 3}\n"} {
		own := simtest.Resolve(t, job+p)
		estimate, err := ratesOf(r).estimate(trainingJob(own))
		if err != nil {
			t.Fatal(err)
		}
		step := trainStep(t, job+p, Options{Workers: 1}).Fabrics[0].StepPs
		if off := float64(estimate)/float64(step) - 1; math.Abs(off) > 0.1 {
			t.Errorf("%s: estimated %v, simulated %d ps, %+.0f %%", strings.TrimSpace(p), estimate, step, 100*off)
		}
	}
}

// Divisions cover the GPUs, keep the batch, and are distinct; tensor parallelism stays inside a node.
func TestDivisionsCoverTheGPUs(t *testing.T) {
	r := simtest.Resolve(t, tinyJob(expertModel, "expert: 2"))
	job := trainingJob(r)
	seen := map[string]bool{}
	for _, d := range divisions(r, job) {
		p := &d.parallel
		if p.GPUs() != 16 || p.Tensor > 8 || 32%(p.Data*d.micro) != 0 {
			t.Errorf("%s is over %d GPUs", d.fields(), p.GPUs())
		}
		if p.Pipeline == 1 && (p.Chunks != 1 || p.Schedule != pipeline.OneFOneB) || p.Pipeline > 1 && p.ZeRO > 1 {
			t.Errorf("%s has parts of a stage or ZeRO that do not go together", d.fields())
		}
		if seen[d.fields()] {
			t.Errorf("%s is there twice", d.fields())
		}
		seen[d.fields()] = true
	}
	if len(seen) < 100 {
		t.Errorf("only %d divisions", len(seen))
	}
}

// A job that fits nowhere says by how much, and a job that fits with recomputation gets the least of it.
func TestASearchSaysWhatIsMissing(t *testing.T) {
	job := func(memory string) string {
		return strings.Replace(tinyJob(denseModel, "tensor: 2"), "node: dgx-h100}", "node: {preset: dgx-h100, gpu: {model: h100, memory: "+memory+"}}}", 1)
	}
	if _, err := searched(t, job("1MB"), 0); err == nil || !strings.Contains(err.Error(), "no division of the job fits: the least memory of") || !strings.Contains(err.Error(), "which has 976.6 KiB") {
		t.Errorf("the error is %v", err)
	}
	out, err := searched(t, job("80GB"), 0)
	if err != nil || out.TooLarge != 0 || out.Simulated != 0 || len(out.Divisions) < 1 || out.Divisions[0].Recompute[0] != string(scenario.RecomputeNone) {
		t.Errorf("%+v, %v: every division fits without recomputation, and no simulation was asked", out, err)
	}
	if out.Judged != out.Undividable+out.Estimated+out.Slower {
		t.Errorf("%d were judged, %d divide unevenly, %d are slower and %d were estimated", out.Judged, out.Undividable, out.Slower, out.Estimated)
	}
}

// The bound by computing alone is below each division's estimate, and near it where nothing but computing is in the way: a search may leave
// out what it excludes. What it leaves out would not have been shown.
func TestASearchLeavesOutOnlyWhatIsSlower(t *testing.T) {
	const job = `
cluster: {nodes: 4, node: dgx-h100}
fabrics: [infiniband-ndr]
training:
  model: {layers: 12, hidden: 4096, ffn: 14336, gated: true, heads: 32, kv-heads: 8, head-dim: 128, vocab: 32000, sequence: 4096}
  batch: {global: 64}
`
	for _, text := range []string{job, tinyJob(expertModel, "expert: 2"), tinyJob(denseModel, "tensor: 2")} {
		r := simtest.Resolve(t, text)
		own := trainingJob(r)
		network, nearest, all := ratesOf(r), 0.0, []units.Time(nil)
		list, _ := (&Search{}).fitting(t.Context(), r, own, new(results.TrainingDivisions))
		for _, j := range list {
			estimate, err := network.estimate(j.job)
			if err != nil {
				continue
			}
			least := j.job.LeastStep()
			if least > estimate {
				t.Errorf("%s: computing alone takes %v, the step %v", j.fields(), least, estimate)
			}
			nearest, all = max(nearest, float64(least)/float64(estimate)), append(all, estimate)
		}
		slices.Sort(all)
		if nearest < 0.8 && text == job {
			t.Errorf("the bound is %.2f of the step at most: it excludes nothing", nearest)
		}
		out, err := searched(t, text, 0)
		if err != nil {
			t.Fatal(err)
		}
		if out.Estimated+out.Slower != len(all) || text == job && out.Slower == 0 {
			t.Errorf("%d estimated and %d left out of %d", out.Estimated, out.Slower, len(all))
		}
		for i := range min(shownEstimates, len(all)) {
			if got := units.Time(out.Divisions[i].EstimatePs); got != all[i] {
				t.Errorf("the %d. division takes %v, without leaving any out %v", i+1, got, all[i])
			}
		}
	}
}

// A search says how far its estimates are, and gives answers before it simulates: after the first estimates, and after all.
func TestASearchHasAnEarlyAnswer(t *testing.T) {
	text := tinyJob(denseModel, "tensor: 8, pipeline: 2")
	file, err := scenario.Decode("t.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	var answers []*results.TrainingDivisions
	estimated, simulated := 0, false
	s := Search{Simulate: 1, Resolve: file.Resolve, Flag: "t"}
	s.Workers, s.Progress = 1, func(sim.Progress) { simulated = true }
	s.Estimating = func(done, all int) {
		if done <= estimated || done > all {
			t.Errorf("%d of %d after %d", done, all, estimated)
		}
		estimated = done
	}
	s.Answer = func(out *results.TrainingDivisions) {
		if answers = append(answers, out); simulated || len(answers) == 1 && estimated > atATime {
			t.Errorf("answer %d comes after %d estimates and a simulation: %v", len(answers), estimated, simulated)
		}
	}
	out, err := s.Run(context.Background(), simtest.Resolve(t, text))
	if err != nil || len(answers) != 2 {
		t.Fatalf("%d answers, %d estimated, %v", len(answers), estimated, err)
	}
	best := answers[1].Divisions[0]
	if best.Fields != out.Divisions[0].Fields || len(best.Fabrics) > 0 || len(out.Divisions[0].Fabrics) == 0 || best.EstimatePs > answers[0].Divisions[0].EstimatePs {
		t.Errorf("answers %+v, then %+v", answers, out.Divisions[0])
	}
}

// A search whose time is over has its first estimates, whether by its own bound or by a stop, and an order of them.
func TestASearchThatEndsEarlyKeepsItsEstimates(t *testing.T) {
	text := tinyJob(denseModel, "tensor: 8, pipeline: 2")
	file, err := scenario.Decode("t.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var both [2]*results.TrainingDivisions
	for i := range both {
		s := Search{Simulate: 2, Resolve: file.Resolve, Flag: "t"}
		s.Workers = i + 1
		if i == 0 {
			s.Time = 1 // over before the first estimate
		} else {
			s.Estimating = func(int, int) { cancel() }
		}
		if both[i], err = s.Run(ctx, simtest.Resolve(t, text)); err != nil || !both[i].Partial || both[i].Simulated != 0 || both[i].Estimated != atATime || both[i].Slower != 0 {
			t.Fatalf("%+v, %v", both[i], err)
		}
	}
	if !reflect.DeepEqual(both[0], both[1]) {
		t.Errorf("the same estimates give %+v and %+v", both[0], both[1])
	}
}

// What a search has simulated stands before what it has not when it is stopped.
func TestAStoppedSearchShowsTheSimulatedFirst(t *testing.T) {
	text := tinyJob(denseModel, "tensor: 8, pipeline: 2")
	file, err := scenario.Decode("t.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	s := Search{Simulate: 3, Resolve: file.Resolve, Flag: "t"}
	s.Workers, s.Progress = 1, func(p sim.Progress) {
		if p.Share > 0.3 { // of four divisions, the second
			cancel()
		}
	}
	out, err := s.Run(ctx, simtest.Resolve(t, text))
	if err != nil || !out.Partial || out.Simulated != 1 {
		t.Fatalf("%+v, %v", out, err)
	}
	for i, d := range out.Divisions {
		if (len(d.Fabrics) > 0) != (i == 0) || i > 1 && d.EstimatePs < out.Divisions[i-1].EstimatePs {
			t.Errorf("division %d of %d: %+v", i, len(out.Divisions), d)
		}
	}
}

// over is a context that is over at some looks at it, after others, so that what they begin is not done.
type over struct {
	context.Context
	after, looks int
}

func (c *over) Err() error {
	if c.after--; c.after >= 0 {
		return nil
	}
	if c.looks--; c.looks >= 0 {
		return context.Canceled
	}
	return nil
}

// A search that is stopped while it judges the memory of divisions judges no more, and has no answer.
func TestAStoppedSearchJudgesNoMoreMemory(t *testing.T) {
	r := simtest.Resolve(t, tinyJob(denseModel, "tensor: 8, pipeline: 2"))
	ctx, cancel := context.WithCancel(t.Context())
	refused := func() int {
		var out results.TrainingDivisions
		new(Search).fitting(ctx, r, trainingJob(r), &out)
		return out.TooLarge + out.Undividable
	}
	if refused() == 0 {
		t.Fatal("all divisions fit, so that none shows whether it was judged")
	}
	cancel()
	if n := refused(); n > 0 {
		t.Errorf("%d divisions were judged after the stop", n)
	}
	if out, err := new(Search).Run(ctx, r); !errors.Is(err, context.Canceled) || out != nil {
		t.Errorf("%+v, %v", out, err)
	}
}

// If none of the first divisions has an estimate, the next ones are estimated, once.
func TestNoDivisionIsEstimatedTwice(t *testing.T) {
	text := tinyJob(denseModel, "tensor: 8, pipeline: 2")
	file, err := scenario.Decode("t.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	s := Search{Resolve: file.Resolve, Flag: "t"}
	s.Workers = 1
	last := 0
	s.Estimating = func(done, all int) {
		if done != min(last+atATime, all) {
			t.Errorf("estimates up to division %d of %d follow those up to %d", done, all, last)
		}
		last = done
	}
	r := simtest.Resolve(t, text)
	memory := len(divisions(r, trainingJob(r))) + 1 // looks while it is judged, and after
	out, err := s.Run(&over{context.Background(), memory, atATime}, r)
	if err != nil {
		t.Fatal(err)
	}
	if fit := out.Judged - out.Undividable - out.TooLarge; out.Estimated+out.Slower != fit-atATime {
		t.Errorf("%d divisions are estimated and %d left out, of %d that fit, %d of them without an estimate", out.Estimated, out.Slower, fit, atATime)
	}
	seen := map[string]bool{}
	for _, d := range out.Divisions {
		if seen[d.Fields] {
			t.Errorf("%s is listed twice", d.Fields)
		}
		seen[d.Fields] = true
	}
}

// A search judges the scenario's own division, whatever it is: one that a search does not try by itself, or one that does not
// run, of which it says why.
func TestASearchJudgesTheScenariosOwnDivision(t *testing.T) {
	for _, parallel := range []string{"pipeline: 2, interleave: 3", "tensor: 2, pipeline: 8, zero: 1", "data: 16, zero: 2"} {
		out, err := searched(t, strings.Replace(tinyJob(denseModel, parallel), "layers: 4", "layers: 24", 1), 0)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.ContainsFunc(out.Divisions, func(d results.TrainingDivision) bool { return d.Given }) || out.GivenFails != "" {
			t.Errorf("%s is not among the divisions, or fails: %q", parallel, out.GivenFails)
		}
	}
	out, err := searched(t, strings.Replace(tinyJob(denseModel, "tensor: 1"), "node: dgx-h100}", "node: {preset: dgx-h100, gpu: {model: h100, memory: 180MB}}}", 1), 0)
	if err != nil || !strings.HasPrefix(out.GivenFails, "the job needs ") || strings.HasSuffix(out.GivenFails, ":") || slices.ContainsFunc(out.Divisions, func(d results.TrainingDivision) bool { return d.Given }) {
		t.Errorf("a job that does not fit as it is: %+v, %v", out, err)
	}
}

// The fields of a division give it also when they are laid over the scenario's own.
func TestTheFieldsOfADivisionReplaceTheScenarios(t *testing.T) {
	text := tinyJob(expertModel, "pipeline: 2, interleave: 2, context: 2, expert: 2, zero: 0")
	r := simtest.Resolve(t, text)
	for _, d := range divisions(r, trainingJob(r)) {
		for _, field := range []string{"tensor", "pipeline", "interleave", "context", "expert", "zero"} {
			if !strings.Contains(d.fields(), field+": ") {
				t.Fatalf("%s leaves the scenario's %s", d.fields(), field)
			}
		}
	}
}

// What a GPU sends to other nodes is the mean over all stages, also if the first ones are in one node; and a library's kernels
// send a token to a node once.
func TestWhatAGPUSendsToOtherNodesIsOfAllStages(t *testing.T) {
	crossing := func(text string) units.Bytes {
		r := simtest.Resolve(t, text)
		return ratesOf(r).crossing(trainingJob(r))
	}
	two, four := crossing(tinyJob(denseModel, "tensor: 8, pipeline: 2, data: 1")), crossing(tinyJob(denseModel, "tensor: 4, pipeline: 4, data: 1"))
	if four != two || two == 0 { // between the nodes half as many tensor ranks send twice as much each
		t.Errorf("a GPU sends %s with a stage on each node, and %s with two", two, four)
	}
	all, once := crossing(expertJob("2", "exchange: all-to-all")), crossing(expertJob("2", "exchange: dispatch"))
	if once >= all || once == 0 {
		t.Errorf("a GPU sends %s by all-to-all, and %s if a token crosses once", all, once)
	}
}
