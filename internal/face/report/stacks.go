package report

import (
	"cmp"
	"fmt"
	"strings"

	"weft/internal/face/doc"
	"weft/results"
	"weft/units"
)

// stacksSection is the step with each stack, on each fabric, if the scenario names none.
func stacksSection(t *results.Training) doc.Section {
	out := doc.NewTable("stack")
	var on []*results.TrainingFabric
	for i := range t.Fabrics {
		if f := &t.Fabrics[i]; len(f.Stacks) > 0 {
			on = append(on, f)
			out.AddGroup(doc.Text(f.Name), "step", "MFU")
		}
	}
	if len(on) == 0 {
		return doc.Section{}
	}
	out.AddGroup(doc.Text("published steps"), "error", "on such GPUs")
	for _, s := range on[0].Stacks {
		row := []doc.Cell{doc.Text(s.Stack)}
		for _, f := range on {
			step, mfu := doc.None, doc.None
			for _, other := range f.Stacks {
				if other.Stack == s.Stack {
					step, mfu = doc.Time(units.Time(other.StepPs)), doc.Tenths(other.MFU)
				}
			}
			row = append(row, step, mfu)
		}
		such := "yes"
		if s.Assumed {
			such = "no"
		}
		out.Add(append(row, doc.Text(cmp.Or(s.HeldOut, "none")), doc.Text(such))...)
	}
	return doc.Section{Title: "By stack", Caption: "the same step as each stack runs it; error: mean of the published steps that gave no figure, without its sign", Blocks: []doc.Block{out}}
}

// stacksSentence is the range of the step over the stacks, on the fastest fabric.
func stacksSentence(t *results.Training) []string {
	best := fastestTraining(t)
	if best < 0 || len(t.Fabrics[best].Stacks) == 0 {
		return nil
	}
	all := t.Fabrics[best].Stacks
	var of []results.StackStep
	var others []string
	limited := ""
	for _, s := range all {
		if s.Assumed || s.HeldOut == "" {
			others = append(others, s.Stack)
		} else {
			of = append(of, s)
		}
		if s.LimitedPs > 0 {
			limited += fmt.Sprintf(" All GPUs have the scenario's power; those of %s's steps had %s, with which training.stack: %s takes %s.", s.Stack, s.Power, s.Stack, shortTime(units.Time(s.LimitedPs)))
		}
	}
	over := "those with published steps of such models on such GPUs"
	if len(of) == 0 {
		of, over = all, "all, none of which has published steps of such models on such GPUs,"
	} else if len(others) > 0 {
		limited = fmt.Sprintf(" No such steps: %s.", strings.Join(others, ", ")) + limited
	}
	first, last := of[0], of[len(of)-1]
	text := fmt.Sprintf("The scenario names no training.stack. Over %s the step on %s takes %s (%s)", over, quoted(t.Fabrics[best].Name), shortTime(units.Time(first.StepPs)), first.Stack)
	if len(of) > 1 {
		text += fmt.Sprintf(" to %s (%s, %s longer)", shortTime(units.Time(last.StepPs)), last.Stack, percent(float64(last.StepPs)/float64(first.StepPs)-1))
	}
	return []string{text + "." + limited}
}

// muchExchanged is the share of exposed exchanges with experts in a step from which on they are named.
const muchExchanged = 0.05

// expertsSentences say what would hide exchanges with experts, where they are a large part of the step.
func expertsSentences(t *results.Training) (out []string) {
	for i := range t.Fabrics {
		f := &t.Fabrics[i]
		share := part(f.ExposedPs("expert"), f)
		if f.StepPs == 0 || share < muchExchanged {
			continue
		}
		text := fmt.Sprintf("%s of the step on %s are exposed exchanges with experts.", percent(share), quoted(f.Name))
		switch hidden := units.Time(f.ExpertsHiddenPs); {
		case hidden > 0:
			text += fmt.Sprintf(" With training.overlap.experts the step takes %s.", shortTime(hidden))
		case !t.Job.ExpertsHidden:
			text += " training.overlap.experts would hide them; it needs parallel.interleave of 2 or more, or a single stage."
		}
		if t.Job.Kernels == "" {
			text += " training.exchange: dispatch takes a library's kernels, which send a token to a node once."
		}
		out = append(out, text)
	}
	return out
}

// rateNote is the share of the kernels' rate at which a step computes, and what sets it.
func rateNote(stack string, framework float64) string {
	from := ", without a stack"
	if stack != "" {
		from = "; training.stack " + stack
	}
	return fmt.Sprintf("%s of these kernels' rate (training.framework%s)", percent(framework), from)
}

// heldOut is how far off the published steps of the job's stack were that gave no figure; empty without a stack or such steps.
func heldOut(j *results.TrainingJob) string {
	if j.HeldOut == "" {
		return ""
	}
	return fmt.Sprintf("; published steps of %s that gave no figure were off by %s, in the mean and without sign", j.Stack, j.HeldOut)
}
