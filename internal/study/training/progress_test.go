package training

import (
	"strings"
	"testing"

	"weft/internal/sim"
	"weft/results"
	"weft/units"
)

// The progress of a step that is simulated as it comes has its simulated time and the part of it that was skipped, as
// the results have at the end.
func TestTheProgressOfAWholeStepHasItsTime(t *testing.T) {
	var last sim.Progress
	job := strings.Replace(tinyJob(denseModel, "tensor: 4, pipeline: 4"), "global: 32", "global: 64", 1)
	out := trainStep(t, job, Options{Workers: 1, Whole: true, Progress: func(p sim.Progress) {
		if p.Done < last.Done || p.Events < last.Events || p.Simulated < last.Simulated {
			t.Errorf("the progress falls from %+v to %+v", last, p)
		}
		last = p
	}})
	var steps units.Time
	var events int64
	for i := range out.Fabrics {
		steps += units.Time(out.Fabrics[i].StepPs)
		events += out.Fabrics[i].Counts.Events
	}
	skipped := (&results.TrainingScale{Points: []*results.Training{out}}).Skipped()
	if last.Done != len(out.Fabrics) || last.Simulated != steps || last.Events != events || last.Skipped != skipped {
		t.Errorf("the last progress is %+v, want %d steps of %v with %d events, %+v of them skipped", last, len(out.Fabrics), steps, events, skipped)
	}
	if skipped.Periods == 0 || skipped.Time <= 0 || skipped.Of != steps {
		t.Errorf("skipped %+v of %v, want some of the 64 micro-batches", skipped, steps)
	}
}

// Phases that turn out to be disturbed are simulated whole. They are part of the work as soon as one of their islands
// shows it, and what may lead to the most work is simulated first.
func TestADisturbedPhaseIsKnownEarly(t *testing.T) {
	marking := strings.Replace(strings.Replace(expertJob("8", "exchange: dispatch"), "expert: 16", "expert: 32", 1), "roce-v2-400g", "{preset: roce-v2-400g, ethernet: {ecn: {kmin: 5KB, kmax: 20KB, pmax: 100%}}}", 1)
	first, grown, shares := 0, -1, 0.0
	var last sim.Progress
	trainStep(t, marking, Options{Workers: 1, Progress: func(p sim.Progress) {
		if first == 0 {
			first = p.Total
		}
		if p.Total > first && grown < 0 {
			grown = p.Done
		}
		shares = max(shares, p.Share)
		last = p
	}})
	if grown < 0 || grown > first/2 {
		t.Errorf("the first whole phase is known after %d of %d simulations, want at most half", grown, first)
	}
	if last.Done != last.Total || last.Share != 1 || shares > 1 {
		t.Errorf("at the end %d of %d simulations and a share of %v (at most %v) are done, want all", last.Done, last.Total, last.Share, shares)
	}
}
