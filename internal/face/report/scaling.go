package report

import (
	"fmt"

	"weft/internal/face/doc"
	"weft/results"
	"weft/units"
)

func scalingKind(t *results.TrainingScale) string {
	if t.Strong {
		return "the same batch on each (strong scaling)"
	}
	return "the batch growing with them (weak scaling)"
}

// Efficiency is a fabric's tokens per second and GPU, relative to the first size; 0 if one of the
// two is unknown.
func efficiency(t *results.TrainingScale, point, fabric int) float64 {
	a, b := &t.Points[0].Fabrics[fabric], &t.Points[point].Fabrics[fabric]
	if a.TokensPS == 0 {
		return 0
	}
	return lasting(b) / float64(t.Points[point].Job.GPUs) / (lasting(a) / float64(t.Points[0].Job.GPUs))
}

// lasting is the tokens a second of a fabric; with noise, of the mean step.
func lasting(f *results.TrainingFabric) float64 {
	return f.TokensPS * float64(f.StepPs) / float64(max(1, f.LastingPs()))
}

// terms are the parts of a step, in the order of the report.
func terms(f *results.TrainingFabric) (names []string, ps []int64) {
	names, ps = []string{"computing"}, []int64{f.ComputingPs}
	for _, p := range f.Purposes {
		names, ps = append(names, p.Purpose), append(ps, p.ExposedPs)
	}
	names, ps = append(names, "waiting", "bubble"), append(ps, f.WaitingPs, f.BubblePs)
	if f.Storage != nil {
		names, ps = append(names, "storage"), append(ps, f.StoragePs)
	}
	if f.Noise != nil {
		names, ps = append(names, "noise"), append(ps, f.LastingPs()-f.StepPs)
	}
	return names, ps
}

func scalingTable(t *results.TrainingScale) *doc.Table {
	names, _ := terms(longestTerms(t))
	out := doc.NewTable(append(append([]string{"GPUs", "fabric", "step", "tokens/s", "MFU", "efficiency"}, names...), "working")...)
	for p := range t.Points {
		for i := range t.Points[p].Fabrics {
			f := &t.Points[p].Fabrics[i]
			gpus := doc.Cell{}
			if i == 0 {
				gpus = doc.Count(t.Points[p].Job.GPUs)
			}
			row := []doc.Cell{gpus, doc.Text(f.Name), doc.Time(units.Time(f.LastingPs())), doc.TokensPerSecond(lasting(f)), doc.Tenths(f.MFU * float64(f.StepPs) / float64(max(1, f.LastingPs()))), doc.Tenths(efficiency(t, p, i))}
			own, ps := terms(f)
			for _, n := range names {
				cell := doc.None
				for k := range own {
					if own[k] == n {
						cell = doc.Share(float64(ps[k]) / float64(max(1, f.LastingPs())))
					}
				}
				row = append(row, cell)
			}
			out.Add(append(row, doc.Tenths(f.Failures.Effective))...)
		}
	}
	return out
}

// longestTerms is the fabric whose step has the most terms.
func longestTerms(t *results.TrainingScale) *results.TrainingFabric {
	best := &t.Points[0].Fabrics[0]
	for p := range t.Points {
		for i := range t.Points[p].Fabrics {
			if f := &t.Points[p].Fabrics[i]; len(f.Purposes) > len(best.Purposes) || f.Noise != nil && best.Noise == nil {
				best = f
			}
		}
	}
	return best
}

// scalingSentences name for each fabric the term that reduces its efficiency the most.
func scalingSentences(t *results.TrainingScale) (out []string) {
	if t.Partial {
		out = append(out, "Partial: larger cluster sizes are missing.")
	}
	last := len(t.Points) - 1
	for i := range t.Points[0].Fabrics {
		a, b := &t.Points[0].Fabrics[i], &t.Points[last].Fabrics[i]
		if a.StepPs == 0 || b.StepPs == 0 {
			out = append(out, quoted(a.Name)+" has no step at one of the ends.")
			continue
		}
		names, ps := terms(b)
		before, beforePs := terms(a)
		what, most := "", 0.0
		for k := range names {
			if names[k] == "computing" {
				continue
			}
			grown := float64(ps[k]) / float64(b.LastingPs())
			for j := range before {
				if before[j] == names[k] {
					grown -= float64(beforePs[j]) / float64(a.LastingPs())
				}
			}
			if grown > most {
				what, most = names[k], grown
			}
		}
		kept := efficiency(t, last, i)
		text := fmt.Sprintf("%s has a scaling efficiency of %.1f %% from %s to %s GPUs", quoted(a.Name), 100*kept, doc.Integer(int64(t.Points[0].Job.GPUs)), doc.Integer(int64(t.Points[last].Job.GPUs)))
		if kept < 1 && what != "" && most > 0.001 {
			text += fmt.Sprintf("; the term that grows the most is %s, by %s of the step", termText(what), percent(most))
		}
		out = append(out, text+".")
	}
	return append(out, unevenSentences(t)...)
}

// unevenSentences state the assumptions of the noise, and the effect of failures at the largest size.
func unevenSentences(t *results.TrainingScale) (out []string) {
	last := t.Points[len(t.Points)-1]
	f := &last.Fabrics[0]
	if n := f.Noise; n != nil {
		out = append(out, fmt.Sprintf("Steps are means of %d draws of training.noise: uneven GPUs and kernels, and nothing else that differs from step to step. --without-noise leaves it out.", n.Draws))
	}
	if x := &f.Failures; x.PerDay > 0 {
		out = append(out, fmt.Sprintf("Failures are not in the efficiency: %s GPUs have %.2g interruptions a day, of %.3g minutes each (training.failures). The column working has the share of the time that they leave: %s.",
			doc.Integer(int64(last.Job.GPUs)), x.PerDay, x.LostSeconds/60, percent(x.Effective)))
	}
	return out
}

// termText is a term in a sentence.
func termText(name string) string {
	switch name {
	case "waiting":
		return "waiting for stragglers"
	case "bubble":
		return "the pipeline's bubble"
	case "storage":
		return "checkpoints and input"
	case "noise":
		return "uneven GPUs and noise"
	}
	return "the exposed communication of " + name + " parallelism"
}
