package report

import (
	"fmt"

	"weft/internal/face/doc"
	"weft/internal/sim/runstore"
	"weft/units"
)

func scalingKind(t *runstore.TrainingScale) string {
	if t.Strong {
		return "the same batch on each (strong scaling)"
	}
	return "the batch growing with them (weak scaling)"
}

// Efficiency is a fabric's tokens per second and GPU, relative to the first size; 0 if one of the
// two is unknown.
func efficiency(t *runstore.TrainingScale, point, fabric int) float64 {
	a, b := &t.Points[0].Fabrics[fabric], &t.Points[point].Fabrics[fabric]
	if a.TokensPS == 0 {
		return 0
	}
	return b.TokensPS / float64(t.Points[point].Job.GPUs) / (a.TokensPS / float64(t.Points[0].Job.GPUs))
}

// terms are the parts of a step, in the order of the report.
func terms(f *runstore.TrainingFabric) (names []string, ps []int64) {
	names, ps = []string{"computing"}, []int64{f.ComputingPs}
	for _, p := range f.Purposes {
		names, ps = append(names, p.Purpose), append(ps, p.ExposedPs)
	}
	return append(names, "waiting", "bubble"), append(ps, f.WaitingPs, f.BubblePs)
}

func scalingTable(t *runstore.TrainingScale) *doc.Table {
	names, _ := terms(longestTerms(t))
	out := doc.NewTable(append([]string{"GPUs", "fabric", "step", "tokens/s", "MFU", "efficiency"}, names...)...)
	for p := range t.Points {
		for i := range t.Points[p].Fabrics {
			f := &t.Points[p].Fabrics[i]
			gpus := doc.Cell{}
			if i == 0 {
				gpus = doc.Count(t.Points[p].Job.GPUs)
			}
			row := []doc.Cell{gpus, doc.Text(f.Name), doc.Time(units.Time(f.StepPs)), doc.TokensPerSecond(f.TokensPS), doc.Tenths(f.MFU), doc.Tenths(efficiency(t, p, i))}
			own, ps := terms(f)
			for _, n := range names {
				cell := doc.None
				for k := range own {
					if own[k] == n {
						cell = doc.Share(part(ps[k], f))
					}
				}
				row = append(row, cell)
			}
			out.Add(row...)
		}
	}
	return out
}

// longestTerms is the fabric whose step has the most terms.
func longestTerms(t *runstore.TrainingScale) *runstore.TrainingFabric {
	best := &t.Points[0].Fabrics[0]
	for p := range t.Points {
		for i := range t.Points[p].Fabrics {
			if f := &t.Points[p].Fabrics[i]; len(f.Purposes) > len(best.Purposes) {
				best = f
			}
		}
	}
	return best
}

// scalingSentences name for each fabric the term that reduces its efficiency the most.
func scalingSentences(t *runstore.TrainingScale) (out []string) {
	if t.Partial {
		out = append(out, "Partial: larger cluster sizes are missing.")
	}
	last := len(t.Points) - 1
	for i := range t.Points[0].Fabrics {
		a, b := &t.Points[0].Fabrics[i], &t.Points[last].Fabrics[i]
		if a.StepPs == 0 || b.StepPs == 0 {
			out = append(out, a.Name+" has no step at one of the ends.")
			continue
		}
		names, ps := terms(b)
		before, beforePs := terms(a)
		what, most := "", 0.0
		for k := range names {
			if names[k] == "computing" {
				continue
			}
			grown := part(ps[k], b)
			for j := range before {
				if before[j] == names[k] {
					grown -= part(beforePs[j], a)
				}
			}
			if grown > most {
				what, most = names[k], grown
			}
		}
		kept := efficiency(t, last, i)
		text := fmt.Sprintf("%s has a scaling efficiency of %.1f %% from %s to %s GPUs", a.Name, 100*kept, doc.Integer(int64(t.Points[0].Job.GPUs)), doc.Integer(int64(t.Points[last].Job.GPUs)))
		if kept < 1 && what != "" && most > 0.001 {
			text += fmt.Sprintf("; the term that grows the most is %s, by %s of the step", termText(what), percent(most))
		}
		out = append(out, text+".")
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
	}
	return "the exposed communication of " + name + " parallelism"
}
