package report

import (
	"strings"
	"testing"

	"weft/results"
)

// Without a stack the range over the stacks is said, on the fastest fabric.
func TestTheRangeOverStacksIsThatOfTheFastestFabric(t *testing.T) {
	slow := results.TrainingFabric{Name: "slow", StepPs: 3e12, Stacks: []results.StackStep{{Stack: "nemo", StepPs: 3e12}}}
	fast := results.TrainingFabric{Name: "fast", StepPs: 2e12, Stacks: []results.StackStep{{Stack: "megatron", StepPs: 2e12}, {Stack: "torchtitan", StepPs: 25e11}}}
	got := strings.Join(stacksSentence(&results.Training{Fabrics: []results.TrainingFabric{slow, fast}}), " ")
	if want := "the step on fast takes 2.00 s (megatron) to 2.50 s (torchtitan, 25 % longer)."; !strings.HasSuffix(got, want) {
		t.Errorf("the sentence is %q, want %q at its end", got, want)
	}
	if got := stacksSentence(&results.Training{Fabrics: []results.TrainingFabric{{Name: "one", StepPs: 1}}}); got != nil {
		t.Errorf("a job with a stack has a range: %q", got)
	}
}

// Exposed exchanges with experts are named from a twentieth of the step on, with the step that hides them.
func TestExposedExchangesNameWhatHidesThem(t *testing.T) {
	of := func(exposed, hidden int64, job results.TrainingJob) string {
		f := results.TrainingFabric{Name: "f", StepPs: 100e9, ExpertsHiddenPs: hidden, Purposes: []results.PurposeTime{{Purpose: "expert", ExposedPs: exposed}}}
		return strings.Join(expertsSentences(&results.Training{Job: job, Fabrics: []results.TrainingFabric{f}}), " ")
	}
	for _, c := range []struct{ got, want string }{
		{of(4e9, 0, results.TrainingJob{}), ""},
		{of(10e9, 90e9, results.TrainingJob{Kernels: "k"}), "10 % of the step on f are exposed exchanges with experts. With training.overlap.experts the step takes 90.0 ms."},
		{of(10e9, 0, results.TrainingJob{Kernels: "k"}), "10 % of the step on f are exposed exchanges with experts. training.overlap.experts would hide them; it needs parallel.interleave of 2 or more, or a single stage."},
		{of(10e9, 0, results.TrainingJob{Kernels: "k", ExpertsHidden: true}), "10 % of the step on f are exposed exchanges with experts."},
		{of(10e9, 0, results.TrainingJob{ExpertsHidden: true}), "10 % of the step on f are exposed exchanges with experts. training.exchange: dispatch takes a library's kernels, which send a token to a node once."},
	} {
		if c.got != c.want {
			t.Errorf("said is %q, want %q", c.got, c.want)
		}
	}
}
