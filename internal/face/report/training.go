package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"weft/internal/base/sorting"
	"weft/internal/face/doc"
	"weft/results"
	"weft/units"
)

// Training is the results of a job's step on each fabric, over one cluster size or several; for
// several sizes the page also shows the step of the largest. lines are its timelines, which are
// drawn, and resolved is the text of its scenario.
func Training(t *results.TrainingScale, lines []*Drawn, resolved []byte) *doc.Document {
	last := t.Points[len(t.Points)-1]
	j := &last.Job
	d := &doc.Document{
		Brand: simulation, Title: last.Scenario, Footer: sameAgain,
		Series:   namesOf(last.Fabrics, func(f results.TrainingFabric) string { return f.Name }),
		Heading:  fmt.Sprintf("%s: %s on %s %s", last.Scenario, j.Model, doc.Integer(int64(j.GPUs)), strings.ToUpper(j.GPU)),
		Subtitle: fmt.Sprintf("%s on %s %s · seed %d", j.Model, doc.Integer(int64(j.GPUs)), strings.ToUpper(j.GPU), last.Seed),
	}
	if len(t.Points) > 1 {
		d.Heading = fmt.Sprintf("%s: %s over %d cluster sizes, %s", last.Scenario, j.Model, len(t.Points), scalingKind(t))
		d.Add(doc.Section{
			Title: "Efficiency", Caption: fmt.Sprintf("tokens per second and GPU, relative to the fabric at %s GPUs; the other columns are shares of the step, and working is the share of the time without interruptions", doc.Integer(int64(t.Points[0].Job.GPUs))),
			Blocks: []doc.Block{scalingTable(t)},
		})
		d.Add(doc.Section{Verdict: true, Blocks: doc.Paragraphs(scalingSentences(t)...)})
		d.Add(doc.Section{Title: "Scaling", In: doc.Page, Blocks: diagrams(d.Series, scalingPlots(t, d.Series)...)})
	}
	for _, s := range stepSections(last, lines) {
		if len(t.Points) > 1 {
			s.In = doc.Page
		}
		d.Add(s)
	}
	d.Add(scenarioSection(scenarioTitle, resolved))
	return d
}

// stepSections describe a step.
func stepSections(t *results.Training, lines []*Drawn) []doc.Section {
	return []doc.Section{
		{Title: "A step on " + doc.Integer(int64(t.Job.GPUs)) + " GPUs", Caption: "means over the GPUs; exposed: the GPU computes nothing meanwhile", Blocks: []doc.Block{trainingTable(t)}},
		{Verdict: true, Blocks: doc.Paragraphs(trainingSentences(t)...)},
		stacksSection(t),
		{
			Title: "A step, stage by stage", In: doc.Page, Blocks: stepLanes(lines),
			Caption: "One GPU of each pipeline stage: computation above, communication below. The time axis is the same for all fabrics. The trace has every operation (trace.json of --out, or --trace).",
		},
		{Title: "Communication", Caption: "moving, and exposed of it", In: doc.Details, Blocks: []doc.Block{purposeTable(t)}},
		trainingSeeds(t),
		{Title: "Phases", Caption: "as simulated packet by packet with all their groups at once; time of the fastest, the mean and the slowest GPU", In: doc.Details, Blocks: []doc.Block{phaseTable(t)}},
		{Title: "The job", In: doc.Details, Blocks: doc.Notes(jobLines(&t.Job)...)},
		{Title: "The simulation", In: doc.Details, Blocks: doc.Notes(trainingNotes(t)...)},
	}
}

// ordinarySchedule is the schedule that is not named.
const ordinarySchedule = "1f1b"

// jobLines describe the job.
func jobLines(j *results.TrainingJob) []string {
	dims := []string{fmt.Sprintf("tensor %d", j.Tensor), fmt.Sprintf("pipeline %d", j.Pipeline), fmt.Sprintf("data %d", j.Data)}
	switch {
	case j.Schedule != ordinarySchedule:
		dims[1] += " (" + j.Schedule + ")"
	case j.Interleave > 1:
		dims[1] += fmt.Sprintf(" × %d interleaved", j.Interleave)
	}
	if j.Context > 1 {
		dims = append(dims, fmt.Sprintf("context %d", j.Context))
	}
	if j.Expert > 1 {
		dims = append(dims, fmt.Sprintf("expert %d", j.Expert))
	}
	most := 0
	for i := range j.Stages {
		if j.Stages[i].Total() > j.Stages[most].Total() {
			most = i
		}
	}
	m := j.Stages[most]
	out := []string{
		fmt.Sprintf("%.4g billion parameters, %s; %s, ZeRO %d; %s sequences a step (%s tokens), %d micro-batches for each replica",
			float64(j.Parameters)/1e9, j.Precision, strings.Join(dims, ", "), j.ZeRO, doc.Integer(int64(j.Sequences)), count(j.Tokens), j.Micros),
		fmt.Sprintf("memory of the fullest stage (%d): %s of %s (weights %s, gradients %s, optimizer %s, activations %s, logits %s)",
			most, units.Bytes(m.Total()), j.Memory, units.Bytes(m.Weights), units.Bytes(m.Gradients), units.Bytes(m.Optimizer), units.Bytes(m.Activations), units.Bytes(m.Logits)),
	}
	if j.Kernels != "" {
		out = append(out, fmt.Sprintf("tokens go to their experts and back by %s; the GPU with the busiest experts gets %.2f times the mean, and the others of its group wait for it", j.Kernels, j.Busiest))
	}
	return out
}

// trainingTable is a row for each fabric.
func trainingTable(t *results.Training) *doc.Table {
	out := doc.NewTable("fabric", "step", "tokens/s", "MFU", "computing", "exposed", "waiting", "bubble")
	best := fastestTraining(t)
	for i := range t.Fabrics {
		f := &t.Fabrics[i]
		if f.StepPs == 0 {
			out.Add(doc.Text(f.Name), instead(f.Failure), doc.None, doc.None, doc.None, doc.None, doc.None, doc.None)
			continue
		}
		tone := doc.Plain
		if i == best && len(t.Fabrics) > 1 {
			tone = doc.Strong
		}
		out.Add(doc.Text(f.Name), doc.Time(units.Time(f.StepPs)).In(tone), doc.TokensPerSecond(f.TokensPS).In(tone), doc.Tenths(f.MFU).In(tone),
			doc.Time(units.Time(f.ComputingPs)), doc.Time(exposed(f)), doc.Time(units.Time(f.WaitingPs)), doc.Time(units.Time(f.BubblePs)))
	}
	return out
}

// exposed is the exposed communication of all purposes.
func exposed(f *results.TrainingFabric) (sum units.Time) {
	for _, p := range f.Purposes {
		sum += units.Time(p.ExposedPs)
	}
	return sum
}

// fastestTraining is the fabric with the shortest step; -1 if there is none.
func fastestTraining(t *results.Training) int {
	return leastOf(len(t.Fabrics), func(i int) (int64, bool) { return t.Fabrics[i].StepPs, t.Fabrics[i].StepPs > 0 })
}

// purposeTable is a row for each fabric, and two columns for each purpose.
func purposeTable(t *results.Training) *doc.Table {
	var purposes []string
	for i := range t.Fabrics {
		for _, p := range t.Fabrics[i].Purposes {
			if !slices.Contains(purposes, p.Purpose) {
				purposes = append(purposes, p.Purpose)
			}
		}
	}
	out := doc.NewTable("fabric")
	for _, p := range purposes {
		out.AddGroup(doc.Text(p), "moving", "exposed")
	}
	for i := range t.Fabrics {
		row := []doc.Cell{{Text: t.Fabrics[i].Name}}
		for _, name := range purposes {
			moving, open := doc.None, doc.None
			for _, p := range t.Fabrics[i].Purposes {
				if p.Purpose == name {
					moving, open = doc.Time(units.Time(p.MovingPs)), doc.Time(units.Time(p.ExposedPs))
				}
			}
			row = append(row, moving, open)
		}
		out.Add(row...)
	}
	return out
}

// phaseTable is a row for each distinct phase on each fabric, with the uses of all that equal it. Fabrics with equal figures share a row.
func phaseTable(t *results.Training) *doc.Table {
	out := doc.NewTable("phase", "fabric", "groups", "ranks", "size", "uses", "by", "fastest", "mean", "slowest", "how")
	phases, uses := distinctPhases(t)
	for k, n := range phases {
		of := func(f *results.TrainingFabric) (p results.TrainingPhase, ok bool) {
			if n < len(f.Phases) {
				p, ok = f.Phases[n], true
			}
			return p, ok
		}
		name, alike := "", true
		for i := range t.Fabrics {
			p, ok := of(&t.Fabrics[i])
			first, _ := of(&t.Fabrics[0])
			alike = alike && ok && samePhase(&p, &first) && howText(&p) == howText(&first)
		}
		for i := range t.Fabrics {
			f := &t.Fabrics[i]
			p, ok := of(f)
			if !ok || alike && i > 0 {
				continue
			}
			fabric := f.Name
			if alike && len(t.Fabrics) > 1 {
				fabric = "every fabric"
			}
			if name == p.Name {
				p.Name = ""
			}
			name = cmp.Or(p.Name, name)
			out.Add(doc.Text(p.Name), doc.Text(fabric), doc.Count(p.Groups), doc.Count(p.Ranks), doc.Bytes(units.Bytes(p.Bytes)), doc.Count(uses[k]), doc.Text(strings.TrimSuffix(p.Algorithm+"/"+p.Wire, "/")),
				doc.Time(units.Time(p.LeastPs)), doc.Time(units.Time(p.MeanPs)), doc.Time(units.Time(p.MostPs)), doc.Text(howText(&p)))
		}
	}
	return out
}

// samePhase reports whether two phases are equal in all but their uses and the way of simulation.
func samePhase(p, q *results.TrainingPhase) bool {
	return p.Name == q.Name && p.Groups == q.Groups && p.Ranks == q.Ranks && p.Bytes == q.Bytes && p.Algorithm == q.Algorithm &&
		p.Wire == q.Wire && p.LeastPs == q.LeastPs && p.MeanPs == q.MeanPs && p.MostPs == q.MostPs
}

// distinctPhases are the numbers of the phases that differ from all before them on some fabric, and
// the uses of each with all phases that equal it.
func distinctPhases(t *results.Training) (numbers, uses []int) {
	phases := 0
	for i := range t.Fabrics {
		phases = max(phases, len(t.Fabrics[i].Phases))
	}
	for n := range phases {
		count := 0
		for i := range t.Fabrics {
			if n < len(t.Fabrics[i].Phases) {
				count = max(count, t.Fabrics[i].Phases[n].Uses)
			}
		}
		at := slices.IndexFunc(numbers, func(m int) bool {
			return !slices.ContainsFunc(t.Fabrics, func(f results.TrainingFabric) bool {
				return n < len(f.Phases) && !samePhase(&f.Phases[n], &f.Phases[m])
			})
		})
		if at < 0 {
			numbers, uses = append(numbers, n), append(uses, count)
		} else {
			uses[at] += count
		}
	}
	return numbers, uses
}

// howText is the simulated part of a phase.
func howText(p *results.TrainingPhase) string {
	var parts []string
	switch n := p.Groups - p.Folded; {
	case p.Folded == 0:
	case n == 0:
		parts = append(parts, "reused from equal groups above")
	default:
		parts = append(parts, fmt.Sprintf("%d of %d groups, reused for the others", n, p.Groups))
	}
	if p.Parts > 0 {
		parts = append(parts, fmt.Sprintf("whole, in %d parts without a common link", p.Parts))
	}
	if len(parts) == 0 {
		return "whole"
	}
	return strings.Join(parts, "; ")
}

// trainingSentences name the winner, with reasons.
func trainingSentences(t *results.Training) (out []string) {
	if t.Partial {
		out = append(out, "Partial: the run was stopped before the step was complete on every fabric.")
	}
	best := fastestTraining(t)
	for i := range t.Fabrics {
		f := &t.Fabrics[i]
		switch {
		case f.Failure == results.Stopped:
		case f.Failure != "":
			out = append(out, quoted(f.Name)+" failed: "+f.Failure)
		case i == best && len(t.Fabrics) > 1:
			out = append(out, fmt.Sprintf("%s %s: %s of its step are computing, %s exposed communication, %s bubbles of the pipeline.",
				quoted(f.Name), leastStep(t, best), percent(part(f.ComputingPs, f)), percent(part(int64(exposed(f)), f)), percent(part(f.BubblePs, f))))
		case best >= 0 && i != best:
			out = append(out, slower(&t.Fabrics[best], f))
		}
	}
	out = append(out, stacksSentence(t)...)
	out = append(out, expertsSentences(t)...)
	for i := range t.Fabrics {
		if f := &t.Fabrics[i]; f.StepPs > 0 && len(f.Hottest) > 0 {
			h := f.Hottest[0]
			out = append(out, fmt.Sprintf("Hottest link of %s: %s, busy %s of the time in %s%s.", quoted(f.Name), h.Name, percent(h.Busy), f.HottestIn, ofItsBytes(h)))
		}
	}
	for i := range t.Fabrics {
		out = append(out, reductionSentences(t.Fabrics[i].Name, t.Fabrics[i].Reduction)...)
	}
	out = append(out, disturbedSentences(t)...)
	out = append(out, seedsSentences(t)...)
	if best >= 0 && len(t.Fabrics) > 1 && t.Fabrics[best].Seeds == nil {
		out = append(out, fmt.Sprintf("This is one run (seed %d): with another seed the order may change. --seeds 8 gives intervals.", t.Seed))
	}
	out = append(out, publishedSentences(t)...)
	out = append(out, noiseSentences(t)...)
	return append(out, storageSentences(t)...)
}

// trainingNotes describe the simulation of the step, and the effects that it leaves out.
func trainingNotes(t *results.Training) []string {
	for i := range t.Fabrics {
		if f := &t.Fabrics[i]; f.StepPs > 0 {
			notes := []string{reuse(&t.Job, f), notComputed(t)}
			if text := schedule(t); text != "" {
				notes = append(notes, text)
			}
			return notes
		}
	}
	return nil
}

// part is a share of the step.
func part(ps int64, f *results.TrainingFabric) float64 {
	return float64(ps) / float64(max(1, f.StepPs))
}

// grown is a term of the step with its growth.
type grown struct {
	name string
	more int64 // ps; below 0 it shrinks
}

// growths are the terms of a step with their growth over another's, which sum to the growth of the step, the largest
// first.
func growths(best, f *results.TrainingFabric) []grown {
	all := []grown{{"bubbles of the pipeline", f.BubblePs - best.BubblePs}}
	for _, p := range f.Purposes {
		all = append(all, grown{"exposed communication of " + p.Purpose + " parallelism", f.ExposedPs(p.Purpose) - best.ExposedPs(p.Purpose)})
	}
	all = append(all, grown{"waits for other GPUs", f.WaitingPs - best.WaitingPs},
		grown{"stalls for checkpoints and input", f.StoragePs - best.StoragePs}, grown{"computations", f.ComputingPs - best.ComputingPs})
	sorting.StableFunc(all, func(a, b grown) int { return cmp.Compare(b.more, a.more) })
	return all
}

// slower is the distance of a fabric from the best, with the term that grew the most.
func slower(best, f *results.TrainingFabric) string {
	diff := f.StepPs - best.StepPs
	if diff*1000 < best.StepPs {
		return fmt.Sprintf("%s takes as long, within 0.1 %%: computation hides its slower communication.", quoted(f.Name))
	}
	all := growths(best, f)
	most, least := all[0], all[len(all)-1]
	text := fmt.Sprintf("%s takes %s longer (%s)", quoted(f.Name), percent(float64(diff)/float64(best.StepPs)), shortTime(units.Time(diff)))
	switch of := shortTime(units.Time(most.more)); {
	case of == shortTime(units.Time(diff)):
		return fmt.Sprintf("%s; all of it is in %s.", text, most.name)
	case most.more > diff: // another term makes up for a part of it
		return fmt.Sprintf("%s: %s more of %s, and %s less of %s.", text, of, most.name, shortTime(units.Time(-least.more)), least.name)
	case 2*most.more > diff:
		return fmt.Sprintf("%s; the most of it, %s, are %s.", text, of, most.name)
	default:
		return fmt.Sprintf("%s; the largest part of it, %s, are %s.", text, of, most.name)
	}
}

// reuse is the simulated part of the step.
func reuse(j *results.TrainingJob, f *results.TrainingFabric) string {
	full := "; --whole simulates the whole step in full"
	if j.Kernels != "" { // which --whole does not take
		full = ""
	}
	if f.Whole {
		return fmt.Sprintf("All %s communications of the step were simulated as they come (--whole).", doc.Integer(f.Communications))
	}
	return fmt.Sprintf("Each distinct phase was simulated once, all its groups at once, and its times reused: %s of the step's %s communications (%s) were simulated. Phases of different kinds that overlap in time do not slow each other here"+full+".",
		doc.Integer(f.Simulated), doc.Integer(f.Communications), percent(float64(f.Simulated)/float64(max(1, f.Communications))))
}

// notComputed names the parts that the computing times leave out.
func notComputed(t *results.Training) string {
	uneven := "Uneven experts are left out, and unless the scenario has them also "
	if t.Job.Kernels != "" {
		uneven = "All layers and groups draw the same tokens. Unless the scenario has them, left out are "
	}
	return "Computing is matrix products by their shapes, attention by its length, and norms, activations, conversions to 8 bits, the loss and the optimizer by their memory traffic (weft catalog gpu " + t.Job.GPU + " has the rates' sources), all at " + rateNote(t.Job.Stack, t.Job.Framework) + heldOut(&t.Job) + ". " + uneven + "input and checkpoints (training.storage) and stragglers (training.noise); docs/TRAINING.md has the errors against published steps."
}

// muchBubble is the share of bubbles in a step from which on the schedule determines its length.
const muchBubble = 0.1

// schedule states that bubbles are the scenario's choice, if they are a large part of a step: a
// published step with another schedule may well be shorter. Empty otherwise.
func schedule(t *results.Training) string {
	j := &t.Job
	for i := range t.Fabrics {
		f := &t.Fabrics[i]
		share := part(f.BubblePs, f)
		if j.Pipeline < 2 || f.StepPs == 0 || share < muchBubble {
			continue
		}
		text := fmt.Sprintf("%s of the step of %s are bubbles of the schedule that the scenario asks for: %d stages, %d micro-batches to each replica, %s to each stage, %s (training.parallel.interleave, schedule).",
			percent(share), quoted(f.Name), j.Pipeline, j.Micros, plural(j.Interleave, "chunk", "chunks"), j.Schedule)
		return text + " More chunks, more micro-batches or another schedule have fewer. A published step has its own schedule, and may be shorter than this one."
	}
	return ""
}

// publishedSentences state the MFU that the scenario's source has for the job, beside each fabric's.
func publishedSentences(t *results.Training) (out []string) {
	j := &t.Job
	for i := range t.Fabrics {
		f := &t.Fabrics[i]
		if j.PublishedMFU == 0 || f.StepPs == 0 {
			continue
		}
		side := "longer"
		if f.MFU > j.PublishedMFU {
			side = "shorter"
		}
		out = append(out, fmt.Sprintf("The MFU on %s is %s, the published one %s (%s): weft's step is %s %s.", quoted(f.Name), percent(f.MFU), percent(j.PublishedMFU), j.PublishedSource, percent(math.Abs(1-j.PublishedMFU/f.MFU)), side))
	}
	return out
}

// noiseSentences state the effect of stragglers and noise on the step.
func noiseSentences(t *results.Training) (out []string) {
	for i := range t.Fabrics {
		n := t.Fabrics[i].Noise
		if n == nil {
			continue
		}
		out = append(out, fmt.Sprintf("With noise %s takes %s on the mean of %d draws (95 %% interval %s to %s; fastest %s, slowest %s), %s more than without; %s of it is waiting for others.",
			quoted(t.Fabrics[i].Name), shortTime(units.Time(n.MeanPs)), n.Draws, shortTime(units.Time(n.LowPs)), shortTime(units.Time(n.HighPs)), shortTime(units.Time(n.LeastPs)), shortTime(units.Time(n.MostPs)),
			percent(float64(n.MeanPs)/float64(max(1, t.Fabrics[i].StepPs))-1), percent(float64(n.WaitingPs)/float64(max(1, n.MeanPs)))))
	}
	return out
}

// storageSentences state the effect of checkpoints and of the input on the step.
func storageSentences(t *results.Training) (out []string) {
	for i := range t.Fabrics {
		f := &t.Fabrics[i]
		s := f.Storage
		if s == nil || f.StepPs == 0 {
			continue
		}
		text := fmt.Sprintf("Storage adds %s to each step on %s (%s): its input takes %s beside the step before", shortTime(units.Time(s.AddedPs)), quoted(f.Name), percent(part(s.AddedPs, f)), shortTime(units.Time(s.InputPs)))
		if s.Every > 0 {
			text += fmt.Sprintf("; every %s steps a checkpoint of %s is written in %s, for %s of which the GPUs wait", doc.Integer(int64(s.Every)), units.Bytes(s.CheckpointBytes), shortTime(units.Time(s.WritePs)), shortTime(units.Time(s.StallPs)))
		}
		out = append(out, text+".")
	}
	return out
}
