package report

import (
	"fmt"
	"math"
	"strings"

	"weft/internal/base/wording"
	"weft/internal/face/doc"
	"weft/results"
	"weft/units"
)

// Divisions is a search for the division of a training job's work.
func Divisions(t *results.TrainingDivisions) *doc.Document {
	d := &doc.Document{
		Brand: simulation, Title: t.Scenario, Footer: sameAgain,
		Heading:  fmt.Sprintf("%s: how to divide %s over %s %s", t.Scenario, t.Model, doc.Integer(int64(t.GPUs)), strings.ToUpper(t.GPU)),
		Subtitle: fmt.Sprintf("%s on %s %s", t.Model, doc.Integer(int64(t.GPUs)), strings.ToUpper(t.GPU)),
	}
	d.Add(doc.Section{
		Title: "Divisions", Caption: divisionsCaption(best(t)),
		Blocks: []doc.Block{divisionsTable(t)},
	})
	d.Add(doc.Section{Verdict: true, Blocks: doc.Paragraphs(divisionSentences(t)...)})
	d.Add(doc.Section{Title: "How they were judged", In: doc.Details, Blocks: doc.Notes(judgedNotes(t)...)})
	return d
}

func best(t *results.TrainingDivisions) *results.TrainingDivision { return &t.Divisions[0] }

func divisionsCaption(best *results.TrainingDivision) string {
	const network = "network: what a GPU sends to other nodes in a step"
	if len(best.Fabrics) == 0 {
		return "estimates: none was simulated; " + network
	}
	return "simulated steps; " + network
}

// divisionsTable is a row for each division.
func divisionsTable(t *results.TrainingDivisions) *doc.Table {
	out := doc.NewTable("", "tensor", "pipeline", "data", "context", "expert", "micro", "ZeRO", "recompute", "memory", "network", "estimate")
	best := &t.Divisions[0]
	for _, f := range best.Fabrics {
		out.AddGroup(doc.Text(f.Name), "step", "MFU", "exposed", "bubble")
	}
	for i := range t.Divisions {
		d := &t.Divisions[i]
		mark, tone := "", doc.Plain
		if d.Given {
			mark = "given"
		}
		if i == 0 {
			tone = doc.Strong
		}
		row := []doc.Cell{
			doc.Text(mark), doc.Count(d.Tensor), doc.Text(stages(d)), doc.Count(d.Data), doc.Count(d.Context), doc.Count(d.Expert), doc.Count(d.Micro), doc.Count(d.ZeRO),
			doc.Text(strings.Join(d.Recompute, " ")), doc.Bytes(d.Memory), doc.Bytes(d.Crossing), doc.Time(units.Time(d.EstimatePs)),
		}
		for _, f := range d.Fabrics {
			row = append(row, doc.Time(units.Time(f.StepPs)).In(tone), doc.Tenths(f.MFU).In(tone), doc.Time(units.Time(f.ExposedPs)), doc.Time(units.Time(f.BubblePs)))
		}
		for range best.Fabrics[len(d.Fabrics):] { // not simulated
			row = append(row, doc.Text("–"), doc.Text(""), doc.Text(""), doc.Text(""))
		}
		out.Add(row...)
	}
	return out
}

// stages are the stages of a division with their order.
func stages(d *results.TrainingDivision) string {
	switch {
	case d.Schedule != ordinarySchedule:
		return fmt.Sprintf("%d (%s)", d.Pipeline, d.Schedule)
	case d.Chunks > 1:
		return fmt.Sprintf("%d × %d", d.Pipeline, d.Chunks)
	}
	return fmt.Sprint(d.Pipeline)
}

// sameStep is the share by which steps on two fabrics differ at most that are taken as equal.
const sameStep = 0.02

// divisionSentences name the best division, what it gains, and the fabrics that it needs.
func divisionSentences(t *results.TrainingDivisions) (out []string) {
	best := &t.Divisions[0]
	if t.Partial {
		out = append(out, fmt.Sprintf("Partial: the search ended when %s simulated. Divisions without a step are estimates.", wording.Counted(t.Simulated, "division was", "divisions were")))
	}
	shortest := "The shortest step"
	if len(best.Fabrics) == 0 {
		shortest = "By estimate the shortest step"
	}
	out = append(out, fmt.Sprintf("%s, %s, has training: {%s}. It takes %s of the %s of each GPU.", shortest, shortTime(units.Time(best.Fastest())), best.Fields, best.Memory, best.Of))
	for i := range t.Divisions {
		switch d := &t.Divisions[i]; {
		case d.Given && i == 0:
			out = append(out, "It is the scenario's own division.")
		case d.Given && len(d.Fabrics) < len(best.Fabrics):
			out = append(out, fmt.Sprintf("The scenario's own division was not simulated: by estimate it takes %s, and this one %s.", shortTime(units.Time(d.EstimatePs)), shortTime(units.Time(best.EstimatePs))))
		case d.Given:
			out = append(out, fmt.Sprintf("The scenario's own division takes %s, %s longer.", shortTime(units.Time(d.Fastest())), percent(float64(d.Fastest())/float64(best.Fastest())-1)))
		}
	}
	if t.GivenFails != "" {
		out = append(out, "With the scenario's own division the job does not run: "+t.GivenFails+".")
	}
	return append(out, needsSentences(best)...)
}

// needsSentences say which of the fabrics a division needs.
func needsSentences(best *results.TrainingDivision) (out []string) {
	var enough, slow []string
	for _, f := range best.Fabrics {
		if longer := float64(f.StepPs)/float64(best.Fastest()) - 1; longer <= sameStep {
			enough = append(enough, quoted(f.Name))
		} else {
			slow = append(slow, fmt.Sprintf("%s takes %s longer", quoted(f.Name), percent(longer)))
		}
	}
	mean := units.Rate(float64(best.Crossing) * 8 / units.Time(best.Fastest()).Seconds())
	text := fmt.Sprintf("Each GPU sends %s to other nodes in a step, %s in the mean.", best.Crossing, mean)
	if len(best.Fabrics) > 1 {
		text += " Within 2 % of the fastest: " + strings.Join(enough, ", ") + "."
	}
	if len(slow) > 0 {
		text += " " + strings.Join(slow, ", ") + "."
	}
	return append(out, text)
}

// judgedNotes say how many divisions were judged, and by what.
func judgedNotes(t *results.TrainingDivisions) []string {
	fit := t.Judged - t.Undividable - t.TooLarge
	out := []string{fmt.Sprintf("%s divisions were looked at: %s divide heads, layers, tokens or experts unevenly, %s do not fit the memory, not even with full recomputation, and %s fit.",
		doc.Integer(int64(t.Judged)), doc.Integer(int64(t.Undividable)), doc.Integer(int64(t.TooLarge)), doc.Integer(int64(fit)))}
	if t.Slower > 0 {
		out = append(out, fmt.Sprintf("The computing alone of %s of them takes longer than the step of the best by estimate.", doc.Integer(int64(t.Slower))))
	}
	if t.Estimated+t.Slower < fit && t.Partial {
		out = append(out, fmt.Sprintf("Of these %s were estimated before the search ended.", doc.Integer(int64(t.Estimated))))
	} else if t.Estimated+t.Slower < fit {
		out = append(out, fmt.Sprintf("The %s with the least computing, bubbles, recomputation and tensor parallelism were estimated.", doc.Integer(int64(t.Estimated))))
	}
	text := "An estimate has the step's own computations, by the kernels' rates, and schedule, and communication by the rates of links, without collisions and latency of switches."
	if t.Simulated > 0 {
		text += fmt.Sprintf(" %s were simulated packet by packet: the best by estimate, and the scenario's own if it fits.%s", doc.Integer(int64(t.Simulated)), estimatesOff(t))
	}
	rate := "Steps compute at " + rateNote(t.Stack, t.Framework) + "."
	if t.Stack == "" {
		rate += " weft train without --parallel has the range over stacks."
	}
	return append(out, text, rate)
}

// estimatesOff says how far the estimates were from the simulated steps.
func estimatesOff(t *results.TrainingDivisions) string {
	least, most := math.Inf(1), math.Inf(-1)
	for i := range t.Divisions {
		if d := &t.Divisions[i]; len(d.Fabrics) > 0 {
			off := float64(d.EstimatePs)/float64(d.Fabrics[0].StepPs) - 1 // an estimate has the rates of the first fabric
			least, most = min(least, off), max(most, off)
		}
	}
	if math.IsInf(least, 1) {
		return ""
	}
	return fmt.Sprintf(" On %s estimates are %+.1f to %+.1f %% off them.", quoted(t.Divisions[0].Fabrics[0].Name), 100*least, 100*most)
}

// BestByEstimate is the answer of a search before it simulates.
func BestByEstimate(t *results.TrainingDivisions) string {
	d, fit := &t.Divisions[0], t.Judged-t.Undividable-t.TooLarge
	return fmt.Sprintf("by estimate the best of %s divisions, of %s that fit: %s, %s a step.",
		doc.Integer(int64(t.Estimated+t.Slower)), doc.Integer(int64(fit)), d.Fields, units.Time(d.EstimatePs))
}
