package training

import (
	"context"
	"fmt"
	"slices"

	"weft/internal/sim"
	"weft/internal/sim/collective"
	"weft/internal/sim/run/network"
	"weft/internal/sim/run/phases"
	"weft/internal/sim/workload"
	"weft/internal/study/many"
)

// trainingTask is one simulation: an island of a phase on a fabric, a whole phase, or the whole step.
type trainingTask struct {
	*steps
	island   int           // -1: none
	phase    int           // if there is no island: the phase to simulate whole; -1: the step
	recorder *recorder     // nil: it is not recorded
	number   int           // of its series
	found    bool          // its result was known
	work     *network.Work // that is done; nil: not counted
	place    int           // in the tally
	most     float64       // longest
}

// whole is the run of a phase that is simulated whole.
type whole struct {
	run *phases.IslandRun
	err error
}

// The work of a byte by what moves it, with that of a collective's between nodes as 1, to an order: measured in
// time on examples/llama3-8b-64.yaml, llama3-70b-1024.yaml and train-deepseek-v3-1024.yaml. Periods of a collective
// that repeat are skipped, and those of messages and exchanges are few; packets inside a node are large.
const (
	messageWork  = 16
	exchangeWork = 10
	insideWork   = 0.25
	stepWork     = 4096 // of a member, for the packets of its steps, in bytes
)

// weight estimates the work of a simulation by the bytes that it moves.
func (t *trainingTask) weight() float64 {
	switch {
	case t.island >= 0:
		return t.weightOf(&t.fold.Islands[t.island].Phase)
	case t.phase >= 0:
		return t.weightOf(&t.step.Phases[t.phase])
	}
	return 1
}

// longest estimates the work of a simulation with that of those that it may make necessary.
func (t *trainingTask) longest() float64 {
	sum := t.weight()
	if t.island >= 0 {
		for _, phase := range t.doubts[t.island] {
			sum += t.weightOf(&t.step.Phases[phase])
		}
	}
	return sum
}

// weightOf estimates the work of a phase, or of some of its groups.
func (s *steps) weightOf(phase *workload.Phase) (sum float64) {
	gpus := int32(s.scenario.Cluster.Node.GPUs)
	for i, members := range phase.Groups {
		n, bytes := float64(len(members)), float64(phase.Bytes[i])
		switch {
		case phase.Kind == workload.Send:
			bytes *= messageWork
		case phase.Exchange != workload.NoExchange:
			bytes *= exchangeWork * (n - 1)
		case phase.Do == collective.AllReduce:
			bytes *= 2 * (n - 1)
		default:
			bytes *= n - 1
		}
		if !slices.ContainsFunc(members, func(rank int32) bool { return rank/gpus != members[0]/gpus }) {
			bytes *= insideWork
		}
		sum += bytes + n*stepWork
	}
	return sum
}

// run runs one simulation; the last one of a fabric assembles the step. progress is of the whole step. It returns the
// simulations that turn out to be necessary.
func (t *trainingTask) run(ctx context.Context, progress func(sim.Progress)) (more []*trainingTask) {
	plan, ended := t.recorded()
	if t.island < 0 && t.phase < 0 {
		err := t.whole(ctx, plan, progress)
		ended(err)
		t.fails(err)
		return nil
	}
	run, err := t.simulate(ctx, plan)
	ended(err)
	t.own.Lock()
	defer t.own.Unlock()
	t.open--
	if t.island >= 0 {
		t.islands[t.island] = run
		if t.fails(err); t.failed == nil {
			more = t.troubled()
		}
	} else {
		*t.wholes[t.phase] = whole{run, err}
	}
	if t.open == 0 && t.failed == nil && ctx.Err() == nil {
		t.fails(t.assemble())
	}
	return more
}

// fails notes the first error.
func (s *steps) fails(err error) {
	if err != nil && s.failed == nil {
		s.failed, s.result.Failure = err, err.Error()
	}
}

// troubled are the simulations of the phases that are to be simulated whole, as is known now. The caller has locked own.
func (s *steps) troubled() (more []*trainingTask) {
	for _, phase := range s.fold.Troubled(s.islands) {
		if s.wholes[phase] == nil {
			s.wholes[phase] = new(whole)
			more = append(more, &trainingTask{steps: s, island: -1, phase: phase, work: new(network.Work)})
		}
	}
	s.open += len(more)
	return more
}

// simulate simulates the island or the phase of a task, or takes its outcome from the first seed, from the cache or from
// another process.
func (t *trainingTask) simulate(ctx context.Context, plan *network.Plan) (*phases.IslandRun, error) {
	phase, name := (*workload.Phase)(nil), fmt.Sprintf("island %d", t.island)
	if t.island >= 0 {
		if known := t.known(t.island); known != nil {
			t.found = true
			return known, nil
		}
		phase = &t.fold.Islands[t.island].Phase
	} else {
		phase, name = &t.step.Phases[t.phase], fmt.Sprintf("phase %d", t.phase)
	}
	if t.recorder != nil {
		return t.islandOf(phase).given.run(ctx, plan, t.part, t.exact == sim.ExactOn, t.work)
	}
	run := func() (out *phases.IslandRun, err error) {
		out, t.found, err = t.remembered(ctx, phase, t.work)
		return out, err
	}
	if t.sharing == nil {
		return run()
	}
	text, err := t.scenario.MarshalYAML()
	if err != nil {
		return nil, err
	}
	piece := fmt.Sprintf("%s on fabric %d, calm %t\n%s", name, t.fabric, t.calm, text)
	return many.Share(ctx, t.sharing, piece, run)
}
