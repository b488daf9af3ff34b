package training

import (
	"weft/internal/sim"
	"weft/internal/sim/run/network"
	"weft/internal/sim/workload"
	"weft/internal/sim/workload/llm"
	"weft/results"
)

// recorder passes on the series of a training job: of the simulated phases of run.seed in their order, then
// of each fabric's step.
type recorder struct {
	order results.SeriesOrder
	next  int       // number of the next series
	live  *sim.Live // nil: they are not shown while they run
}

// newRecorder makes the tasks whose results are the job's record their series.
func newRecorder(o *Options, out *results.Training, tasks []*trainingTask) *recorder {
	r := &recorder{order: results.SeriesOrder{Pass: o.Series}, live: o.Live}
	if o.Series == nil {
		r.order.Pass = func(*results.Series) {}
	}
	for _, t := range tasks {
		if t.result == &out.Fabrics[t.fabric] {
			t.recorder, t.number = r, r.next
			r.next++
		}
	}
	if r.live != nil {
		sim.Expect(r.live, r.next)
	}
	return r
}

// recorded is the plan of a task, which records if the task does, and the call for its end.
func (t *trainingTask) recorded() (*network.Plan, func(error)) {
	if t.recorder == nil {
		return t.plan, func(error) {}
	}
	var own *results.Series
	plan := *t.plan
	plan.Series = func(s *results.Series) {
		if s.Simulation.Phase = "the whole step"; t.island >= 0 {
			p := &t.fold.Islands[t.island].Phase
			s.Simulation.Phase = p.Name
			for _, bytes := range p.Bytes {
				s.Simulation.Bytes = max(s.Simulation.Bytes, int64(bytes))
			}
		}
		own = s
	}
	shown := func() {}
	if live := t.recorder.live; live != nil {
		shown = sim.Show(live, t.fabric, &plan)
	}
	return &plan, func(err error) {
		shown()
		if own != nil {
			own.Simulation.Complete = err == nil
		}
		t.recorder.order.Ended(t.number, own)
	}
}

// steps passes on the operations of each fabric's step, if it is complete.
func (r *recorder) steps(on []*fabricSteps) {
	if r == nil {
		return
	}
	for _, f := range on {
		if f.line != nil {
			r.order.Ended(r.next, operations(f.result, f.step, f.line))
			r.next++
		}
	}
}

// operations is the series of a step: its operations with their times.
func operations(f *results.TrainingFabric, step *llm.Step, line *workload.Timeline) *results.Series {
	s := &results.Series{
		Simulation: results.SeriesSimulation{Fabric: f.Name, Protocol: f.Protocol, Phase: results.StepOperations, DurationPs: int64(line.End), StepsMerged: 1, Complete: true},
		Samples:    func(func(results.SeriesSample) bool) {},
	}
	for rank, ops := range step.Graph.Ranks {
		for i := range ops {
			o, span := &ops[i], line.Spans[rank][i]
			if span.End < 0 {
				continue
			}
			row := results.SeriesStep{
				Rank: int32(rank), Step: int32(i), Lane: -1, Name: o.Name, Stream: llm.StreamName(o.Stream), Bytes: int64(o.Bytes),
				StartPs: int64(span.Begin), EndPs: int64(span.End),
			}
			if o.Kind != workload.Compute {
				row.Phase = step.Phases[o.Phase].Name
			}
			s.Steps = append(s.Steps, row)
		}
	}
	return s
}
