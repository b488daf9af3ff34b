package tune

import (
	"cmp"
	"context"
	"errors"
	"math"

	"weft/internal/sim"
	"weft/internal/study/many"
	"weft/results"
	"weft/scenario"
	"weft/units"
)

// Options are settings of the run; results do not depend on them.
type Options struct {
	Run      many.Runner
	Workers  int            // cores; 0 is all
	Progress func(Progress) // if not nil, called from time to time, never concurrently
	whole    bool           // every candidate has all seeds
}

// Progress is the progress of a tuning.
type Progress struct {
	Doing       string // search, proof, sensitivity
	Done, Total int    // simulations; known ones are not repeated
	Best        float64
}

// run is a candidate with a seed: one simulation.
type run struct {
	key  string // of the candidate
	seed uint64
}

// evaluator simulates candidates, each once.
type evaluator struct {
	p       *Problem
	o       Options
	known   map[run]Outcome
	invalid map[string]string // reasons, by the candidate's key; empty if it is possible
	state   Progress
}

func newEvaluator(p *Problem, o Options) *evaluator {
	return &evaluator{
		p: p, o: o, known: make(map[run]Outcome), invalid: make(map[string]string),
		state: Progress{Total: p.Stands.Tune.Runs, Best: math.Inf(1)},
	}
}

// row is what became of a simulation; with err there is no outcome.
type row struct {
	Outcome
	err error
}

// simulate makes the outcomes of candidates known, with every seed. Impossible candidates have none.
// A failure of the scenario or of the network is an outcome. An error means that the search cannot
// go on; outcomes that are complete are known all the same.
func (e *evaluator) simulate(ctx context.Context, candidates []Candidate, seeds []uint64) error {
	var open []run
	var variants []*scenario.Resolved
	for _, c := range candidates {
		if e.isImpossible(c) {
			continue
		}
		for _, seed := range seeds {
			id := run{c.key(), seed}
			if _, known := e.known[id]; known {
				e.state.Done++
				continue
			}
			r, err := e.p.Resolve(c, seed)
			if err != nil {
				e.known[id] = Outcome{Failed: err.Error()}
				e.state.Done++
				continue
			}
			r.Run.Limit.SimulatedTime = min(r.Run.Limit.SimulatedTime, e.p.limit)
			open, variants = append(open, id), append(variants, r)
		}
	}
	before := e.state.Done
	rows := many.Rows(ctx, variants, many.Options{
		Run: e.o.Run, Workers: e.o.Workers, Progress: func(p sim.Progress) { e.tell(before + p.Done) },
	}, func(outcome *results.Results, err error) row {
		var folder *many.FolderError
		if ctx.Err() != nil || errors.As(err, &folder) {
			return row{err: cmp.Or(ctx.Err(), err)}
		}
		return row{Outcome: outcomeOf(outcome, err)}
	})
	var errs error
	for i, r := range rows {
		if r.err == nil {
			e.known[open[i]] = r.Outcome
		}
		errs = cmp.Or(errs, r.err)
	}
	return errs
}

// outcomeOf is the outcome of a simulation of one fabric.
func outcomeOf(outcome *results.Results, err error) Outcome {
	f, err := many.FabricOf(outcome, err)
	if err != nil {
		return Outcome{Failed: err.Error()}
	}
	return Outcome{Sizes: figuresOf(f.Points)}
}

// outcomes are a candidate's outcomes with seeds; ok is false if some are not known.
func (e *evaluator) outcomes(c Candidate, seeds []uint64) (out []Outcome, ok bool) {
	for _, seed := range seeds {
		o, known := e.known[run{c.key(), seed}]
		if !known {
			return nil, false
		}
		out = append(out, o)
	}
	return out, true
}

// begin simulates the scenario as it stands, the reference for all candidates.
func (e *evaluator) begin(ctx context.Context, seeds []uint64) error {
	e.state.Doing = "search"
	if err := e.simulate(ctx, []Candidate{nil}, seeds); err != nil {
		return err
	}
	most := units.Time(0)
	out, _ := e.outcomes(nil, seeds)
	for _, o := range out {
		if o.Failed != "" {
			return &StandsError{Reason: o.Failed}
		}
		for _, f := range o.Sizes {
			most = max(most, units.Time(f.TimePs))
		}
	}
	run := &e.p.Stands.Run
	if rounds := units.Time(run.Iterations + run.Warmup); most < units.Forever/giveUp/rounds {
		e.p.limit = min(e.p.limit, giveUp*rounds*most)
	}
	return nil
}

// StandsError says that the scenario as it stands cannot be measured: there is no reference.
type StandsError struct{ Reason string }

func (e *StandsError) Error() string {
	return "the scenario as it stands fails, so there is no reference to improve on: " + e.Reason
}

// score is the objective of a candidate, the mean over seeds; +Inf if it is impossible or failed. It
// is not ok if the candidate has not been simulated.
func (e *evaluator) score(c Candidate, seeds []uint64) (mean float64, ok bool) {
	if e.isImpossible(c) {
		return math.Inf(1), true
	}
	out, ok := e.outcomes(c, seeds)
	stands, _ := e.outcomes(nil, seeds)
	sum := 0.0
	for i := range out {
		sum += score(&e.p.Stands.Tune.Objective, &out[i], &stands[i])
	}
	return sum / float64(len(seeds)), ok
}

// isImpossible reports whether no scenario can have the candidate's values.
func (e *evaluator) isImpossible(c Candidate) bool {
	if c == nil {
		return false
	}
	reason, seen := e.invalid[c.key()]
	if !seen {
		reason = e.p.invalid(c)
		e.invalid[c.key()] = reason
	}
	return reason != ""
}

// tell reports so many simulations.
func (e *evaluator) tell(done int) {
	e.state.Done = done
	if e.o.Progress != nil {
		e.o.Progress(e.state)
	}
}

// causeOf is the reason why a candidate has no score.
func (e *evaluator) causeOf(c Candidate, seeds []uint64) string {
	if reason := e.invalid[c.key()]; reason != "" {
		return reason
	}
	for _, seed := range seeds {
		if o := e.known[run{c.key(), seed}]; o.Failed != "" {
			return o.Failed
		}
	}
	return ""
}

// impossible is the number of impossible candidates, and the reason of the first in order.
func (e *evaluator) impossible() (n int, why string) {
	first := ""
	for key, reason := range e.invalid {
		if reason == "" {
			continue
		}
		n++
		if first == "" || key < first {
			first, why = key, reason
		}
	}
	return n, why
}

// marksAndPauses are those of all simulations.
func (e *evaluator) marksAndPauses() (marks, pauses int64) {
	for _, o := range e.known {
		for i := range o.Sizes {
			marks, pauses = marks+o.Sizes[i].Marks, pauses+o.Sizes[i].Pauses
		}
	}
	return marks, pauses
}
