package training

import (
	"cmp"
	"strings"
	"testing"

	"weft/internal/test/simtest"
	"weft/results"
	"weft/scenario"
)

// onStack is a job's scenario with a stack.
func onStack(job string, stack scenario.Stack) string {
	return strings.Replace(job, "training:\n", "training:\n  stack: "+string(stack)+"\n", 1)
}

// The step that a job without a stack shows for a stack is that of the job with it, to the picosecond.
func TestTheStepOfAStackIsThatOfTheJobWithIt(t *testing.T) {
	for _, job := range []string{tinyJob(denseModel, "tensor: 2, pipeline: 2"), tinyJob(denseModel, "zero: 3"), tinyJob(expertModel, "expert: 8")} {
		var all []*scenario.Resolved
		for _, stack := range scenario.Values[scenario.Stack]() {
			all = append(all, simtest.Resolve(t, onStack(job, stack)))
		}
		out := trainStep(t, job, Options{Workers: 1, Stacks: all})
		for i := range out.Fabrics {
			if n := len(out.Fabrics[i].Stacks); n != len(all) {
				t.Fatalf("%d stacks are shown on %s, want %d", n, out.Fabrics[i].Name, len(all))
			}
			last := int64(0)
			for _, s := range out.Fabrics[i].Stacks {
				if s.StepPs < last {
					t.Errorf("%s takes %d ps and stands behind a longer one", s.Stack, s.StepPs)
				}
				last = s.StepPs
			}
		}
		for _, stack := range []scenario.Stack{scenario.TorchTitan, scenario.DeepSpeed} {
			alone := trainStep(t, onStack(job, stack), Options{Workers: 1})
			for i := range alone.Fabrics {
				if got := stepOn(&out.Fabrics[i], stack); got != alone.Fabrics[i].StepPs {
					t.Errorf("%s on %s: %d ps among the stacks, %d alone", stack, alone.Fabrics[i].Name, got, alone.Fabrics[i].StepPs)
				}
			}
		}
	}
}

func stepOn(f *results.TrainingFabric, stack scenario.Stack) int64 {
	for _, s := range f.Stacks {
		if s.Stack == string(stack) {
			return cmp.Or(s.LimitedPs, s.StepPs)
		}
	}
	return 0
}

// Among the stacks GPUs have the scenario's power: torchtitan with the scenario's gpu.sustained written takes as long, and with that of
// its own steps longer.
func TestStacksAreComparedAtOnePower(t *testing.T) {
	job := tinyJob(denseModel, "tensor: 2")
	own := simtest.Resolve(t, onStack(job, scenario.TorchTitan))
	out := trainStep(t, job, Options{Workers: 1, Stacks: []*scenario.Resolved{own}}).Fabrics[0].Stacks[0]
	level := trainStep(t, strings.Replace(onStack(job, scenario.TorchTitan), "node: dgx-h100}", "node: {preset: dgx-h100, gpu: {model: h100, sustained: 1/1.10}}}", 1), Options{Workers: 1})
	if want := level.Fabrics[0].StepPs; out.StepPs != want || out.LimitedPs <= out.StepPs || out.Power != "500 W" {
		t.Errorf("%+v: torchtitan with H100 of 700 W takes %d ps", out, want)
	}
	if got := trainStep(t, strings.Replace(onStack(job, scenario.TorchTitan), "training:", "training:\n  framework: 90%", 1), Options{Workers: 1}).Job.HeldOut; got != "" {
		t.Errorf("a rate that the scenario writes has the stack's error, %s", got)
	}
}

// The step with hidden exchanges is that of the job with overlap.experts; a job that has it shows none, nor does one whose
// stages have a single part.
func TestTheStepWithHiddenExchangesIsThatOfTheJobWithOverlap(t *testing.T) {
	const divided = "expert: 8, pipeline: 2, interleave: 2"
	job := tinyJob(expertModel, divided)
	open := trainStep(t, job, Options{Workers: 1})
	hidden := trainStep(t, job+"  overlap: {experts: true}\n", Options{Workers: 1})
	for i := range open.Fabrics {
		if got, want := open.Fabrics[i].ExpertsHiddenPs, hidden.Fabrics[i].StepPs; got != want || want == 0 {
			t.Errorf("%s: %d ps with hidden exchanges, the job with overlap takes %d", open.Fabrics[i].Name, got, want)
		}
		if got := hidden.Fabrics[i].ExpertsHiddenPs; got != 0 {
			t.Errorf("a job that hides its exchanges shows a step of %d ps that does", got)
		}
	}
	if single := trainStep(t, tinyJob(expertModel, "expert: 4, pipeline: 2"), Options{Workers: 1}); single.Fabrics[0].ExpertsHiddenPs != 0 {
		t.Error("stages with a single part of the layers cannot pair micro-batches, and a step with hidden exchanges is shown")
	}
}

// Experts over an equal part of a node: a dispatch takes as long as on a node of as many GPUs.
func TestExpertsOverAPartOfANodeExchangeInsideIt(t *testing.T) {
	job := func(node string) string {
		return strings.Replace(strings.Replace(expertJob("2", "exchange: dispatch"), "node: dgx-h100", "node: "+node, 1), "expert: 16", "expert: 4", 1)
	}
	part := trainStep(t, job("dgx-h100"), Options{Workers: 1})
	own := trainStep(t, job("{preset: dgx-h100, gpus: 4, nics: 4}"), Options{Workers: 1})
	for i := range part.Fabrics {
		a, b := phaseOf(t, &part.Fabrics[i], "expert dispatch"), phaseOf(t, &own.Fabrics[i], "expert dispatch")
		if a.MostPs != b.MostPs || a.Ranks != 4 || a.MostPs == 0 {
			t.Errorf("a dispatch among %d GPUs of 8 takes %d ps, of 4 %d", a.Ranks, a.MostPs, b.MostPs)
		}
	}
}
