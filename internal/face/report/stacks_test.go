package report

import (
	"strings"
	"testing"

	"weft/results"
)

// Without a stack the range over the stacks is said, on the fastest fabric.
func TestTheRangeOverStacksIsThatOfTheFastestFabric(t *testing.T) {
	const known = "6 % of 5 steps"
	slow := results.TrainingFabric{Name: "slow", StepPs: 3e12, Stacks: []results.StackStep{{Stack: "nemo", StepPs: 3e12}}}
	fast := results.TrainingFabric{Name: "fast", StepPs: 2e12, Stacks: []results.StackStep{
		{Stack: "megatron", StepPs: 2e12, HeldOut: known},
		{Stack: "torchtitan", StepPs: 25e11, HeldOut: known, LimitedPs: 3e12, Power: "500 W"},
		{Stack: "maxtext", StepPs: 26e11},
		{Stack: "deepspeed", StepPs: 3e12, HeldOut: known, Assumed: true},
	}}
	got := strings.Join(stacksSentence(&results.Training{Fabrics: []results.TrainingFabric{slow, fast}}), " ")
	if want := "those with published steps of such models on such GPUs the step on fast takes 2.00 s (megatron) to 2.50 s (torchtitan, 25 % longer). No such steps: maxtext, deepspeed. " +
		"All GPUs have the scenario's power; those of torchtitan's steps had 500 W, with which training.stack: torchtitan takes 3.00 s."; !strings.HasSuffix(got, want) {
		t.Errorf("the sentence is %q, want %q at its end", got, want)
	}
	fast.Stacks = fast.Stacks[2:]
	got = strings.Join(stacksSentence(&results.Training{Fabrics: []results.TrainingFabric{fast}}), " ")
	if want := "Over all, none of which has published steps of such models on such GPUs, the step on fast takes 2.60 s (maxtext) to 3.00 s (deepspeed, 15 % longer)."; !strings.HasSuffix(got, want) {
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

// A step says at which rate it computes, what sets that, and how far off it was.
func TestAStepSaysOnWhatItsComputingTimesRest(t *testing.T) {
	for _, c := range []struct {
		job  results.TrainingJob
		want string
	}{
		{results.TrainingJob{Stack: "megatron", Framework: 0.88, HeldOut: "4 % of 6 steps"}, "all at 88 % of these kernels' rate (training.framework; training.stack megatron); published steps of megatron that gave no figure were off by 4 % of 6 steps, in the mean and without sign."},
		{results.TrainingJob{Framework: 0.83}, "all at 83 % of these kernels' rate (training.framework, without a stack). "},
	} {
		if note := notComputed(&results.Training{Job: c.job}); !strings.Contains(note, c.want) {
			t.Errorf("the note is %q, want %q in it", note, c.want)
		}
	}
}

// Estimates are said as such, and simulated ones by how much they were off.
func TestDivisionsSayWhatTheyAre(t *testing.T) {
	d := &results.TrainingDivisions{Partial: true, Divisions: []results.TrainingDivision{{EstimatePs: 2e12}}}
	if got, want := divisionSentences(d)[1], "By estimate the shortest step, 2.00 s"; !strings.HasPrefix(got, want) {
		t.Errorf("a stopped search says %q, want %q", got, want)
	}
	d.GivenFails = "the job needs 90 GiB"
	if got, want := strings.Join(divisionSentences(d), " "), "With the scenario's own division the job does not run: the job needs 90 GiB."; !strings.Contains(got, want) {
		t.Errorf("a search says %q, want %q in it", got, want)
	}
	d.Simulated, d.Divisions = 2, []results.TrainingDivision{
		{EstimatePs: 99e10, Fabrics: []results.DivisionOnFabric{{Name: "f", StepPs: 100e10}}}, {EstimatePs: 102e10, Fabrics: []results.DivisionOnFabric{{Name: "f", StepPs: 100e10}}},
	}
	if got, want := strings.Join(judgedNotes(d), " "), "On f estimates are -1.0 to +2.0 % off them."; !strings.Contains(got, want) {
		t.Errorf("a search says %q, want %q", got, want)
	}
}
