package report

import (
	"fmt"
	"slices"
	"strings"

	"weft/internal/face/doc"
	"weft/results"
	"weft/units"
)

// disturbedSentences state the cost of faults, slow cables and streams for the job's step, and the
// results of the streams.
func disturbedSentences(t *results.Training) (out []string) {
	for i := range t.Fabrics {
		f := &t.Fabrics[i]
		if f.StepPs == 0 || f.UndisturbedPs == 0 {
			continue
		}
		share := float64(f.StepPs)/float64(f.UndisturbedPs) - 1
		text := fmt.Sprintf("Disturbances on %s (faults, slow cables, streams beside the job) make its step %s longer: %s without them.", quoted(f.Name), percent(share), shortTime(units.Time(f.UndisturbedPs)))
		if share >= 2 {
			text = fmt.Sprintf("Disturbances on %s (faults, slow cables, streams beside the job) make its step %s times as long: %s without them.", quoted(f.Name), times(1+share), shortTime(units.Time(f.UndisturbedPs)))
		}
		if share < 0.0005 {
			text = fmt.Sprintf("Disturbances on %s (faults, slow cables, streams beside the job) do not lengthen its step: %s without them.", quoted(f.Name), shortTime(units.Time(f.UndisturbedPs)))
		}
		if n := f.FaultsUnmet; n > 0 {
			what := "the step"
			if !f.Whole {
				what = "its longest phase, and each phase is simulated from time 0 (the whole step with --whole)"
			}
			text += fmt.Sprintf(" %s no effect: at is after the end, at %s, of %s.", exactly(n, "fault has", "faults have"), shortTime(units.Time(f.LongestPs())), what)
		}
		if lost := f.Counts.Drops(); lost > 0 {
			text += fmt.Sprintf(" %s packets were lost, %s sent again.", doc.Integer(lost), doc.Integer(f.Counts.Retransmissions))
			if !f.Whole && f.Counts.DroppedFault > 0 {
				text += " In each use of a phase the faults begin anew, at time 0; with --whole they occur once in the step."
			}
		}
		out = append(out, text)
		if beside := besideTexts(f); len(beside) > 0 {
			out = append(out, "Meanwhile on "+quoted(f.Name)+": "+strings.Join(beside, "; ")+".")
		}
	}
	return out
}

// streamShare is the result of the streams with a name in a phase.
type streamShare struct {
	gbps   float64 // of all together
	mostPs int64   // of a message
}

// besideTexts state the result of the streams of each name: in the phase with the least.
func besideTexts(f *results.TrainingFabric) (out []string) {
	var names []string
	least, in := make(map[string]streamShare), make(map[string]string)
	take := func(phase string, list []results.Stream) {
		own := make(map[string]streamShare)
		for _, s := range list {
			if !slices.Contains(names, s.Name) {
				names = append(names, s.Name)
			}
			x := own[s.Name]
			own[s.Name] = streamShare{x.gbps + s.GBps, max(x.mostPs, s.P99Ps)}
		}
		for name, x := range own {
			if before, known := least[name]; !known || x.gbps < before.gbps {
				least[name], in[name] = x, phase
			}
		}
	}
	take("the whole step", f.Beside)
	for i := range f.Phases {
		take(f.Phases[i].Name, f.Phases[i].Beside)
	}
	for _, name := range names {
		x := least[name]
		out = append(out, fmt.Sprintf("%s got at least %s GB/s, in %s; the 99th percentile of its messages was %s", name, shortBandwidth(x.gbps), in[name], shortTime(units.Time(x.mostPs))))
	}
	return out
}
