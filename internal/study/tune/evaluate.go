package tune

import (
	"context"
	"errors"
	"math"
	"sync"
	"sync/atomic"

	"weft/internal/base/cores"
	"weft/internal/sim"
	"weft/results"
	"weft/units"
)

// Options are settings of the run; results do not depend on them.
type Options struct {
	Run      Runner
	Journal  *Journal
	Workers  int            // simulations at the same time, at least 1
	Progress func(Progress) // if not nil, called from time to time, never concurrently
}

// Progress is the progress of a tuning.
type Progress struct {
	Doing       string // search, proof, sensitivity
	Done, Total int    // simulations; known ones are not repeated
	Best        float64
}

// evaluator simulates candidates, each once.
type evaluator struct {
	p       *Problem
	o       Options
	slots   chan struct{} // one per simulation at the same time
	stands  map[uint64]Outcome
	mu      sync.Mutex
	state   Progress
	invalid map[string]string // reasons, by the candidate's key

	marks, pauses atomic.Int64 // of all outcomes
}

func newEvaluator(p *Problem, o Options) *evaluator {
	return &evaluator{
		p: p, o: o, slots: make(chan struct{}, max(1, o.Workers)), stands: make(map[uint64]Outcome),
		invalid: make(map[string]string), state: Progress{Total: p.Stands.Tune.Runs, Best: math.Inf(1)},
	}
}

// outcomes are a candidate's outcomes with several seeds, simulated in parallel.
func (e *evaluator) outcomes(ctx context.Context, c Candidate, seeds []uint64) ([]Outcome, error) {
	out, errs := make([]Outcome, len(seeds)), make([]error, len(seeds))
	cores.Each(len(seeds), len(seeds), func(i int) { out[i], errs[i] = e.outcome(ctx, c, seeds[i]) })
	return out, errors.Join(errs...)
}

// outcome is the outcome of one simulation, from the journal if it is known.
func (e *evaluator) outcome(ctx context.Context, c Candidate, seed uint64) (Outcome, error) {
	if o, ok := e.o.Journal.find(c, seed); ok {
		e.count(&o)
		e.tell()
		return o, nil
	}
	select {
	case e.slots <- struct{}{}:
	case <-ctx.Done():
		return Outcome{}, ctx.Err()
	}
	defer func() { <-e.slots }()
	o, err := e.simulate(ctx, c, seed)
	if err != nil {
		return Outcome{}, err
	}
	e.count(&o)
	e.tell()
	return o, e.o.Journal.add(c, seed, o)
}

// count adds the marks and pauses of an outcome.
func (e *evaluator) count(o *Outcome) {
	for i := range o.Sizes {
		e.marks.Add(o.Sizes[i].Marks)
		e.pauses.Add(o.Sizes[i].Pauses)
	}
}

// simulate runs a candidate. A failure of the scenario or the network is its outcome; an error
// means that the run was stopped.
func (e *evaluator) simulate(ctx context.Context, c Candidate, seed uint64) (Outcome, error) {
	var results *results.Results
	r, err := e.p.Resolve(c, seed)
	if err == nil {
		r.Run.Limit.SimulatedTime = min(r.Run.Limit.SimulatedTime, e.p.limit)
		results, err = e.o.Run(ctx, r, sim.Options{Workers: 1})
	}
	if ctx.Err() != nil {
		return Outcome{}, ctx.Err()
	}
	return outcomeOf(results, err), nil
}

// outcomeOf is the outcome of a simulation of one fabric.
func outcomeOf(results *results.Results, err error) Outcome {
	switch {
	case err != nil:
		return Outcome{Failed: err.Error()}
	case results == nil || results.Partial || len(results.Fabrics) != 1:
		return Outcome{Failed: "the simulator gave neither results nor a reason"}
	}
	return Outcome{Sizes: figuresOf(results.Fabrics[0].Points)}
}

// begin simulates the scenario as it stands, the reference for all candidates.
func (e *evaluator) begin(ctx context.Context, seeds []uint64) error {
	e.doing("search")
	out, err := e.outcomes(ctx, nil, seeds)
	if err != nil {
		return err
	}
	most := units.Time(0)
	for i, o := range out {
		if o.Failed != "" {
			return &StandsError{Reason: o.Failed}
		}
		e.stands[seeds[i]] = o
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

// score is the objective of a candidate, the mean over seeds; +Inf if it is impossible or failed.
func (e *evaluator) score(ctx context.Context, c Candidate, seeds []uint64) (float64, error) {
	if e.cannot(c) {
		return math.Inf(1), nil
	}
	out, err := e.outcomes(ctx, c, seeds)
	if err != nil {
		return 0, err
	}
	sum := 0.0
	for i, seed := range seeds {
		stands := e.stands[seed]
		sum += score(&e.p.Stands.Tune.Objective, &out[i], &stands)
	}
	return sum / float64(len(seeds)), nil
}

// cannot reports whether no scenario can have the candidate's values.
func (e *evaluator) cannot(c Candidate) bool {
	if c == nil {
		return false
	}
	e.mu.Lock()
	reason, seen := e.invalid[c.key()]
	e.mu.Unlock()
	if !seen {
		reason = e.p.invalid(c)
		e.mu.Lock()
		e.invalid[c.key()] = reason
		e.mu.Unlock()
	}
	return reason != ""
}

func (e *evaluator) doing(what string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.state.Doing = what
}

// tell reports one more simulation.
func (e *evaluator) tell() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.state.Done++
	if e.o.Progress != nil {
		e.o.Progress(e.state)
	}
}

// causeOf is the reason why a candidate has no score.
func (e *evaluator) causeOf(c Candidate, seeds []uint64) string {
	e.mu.Lock()
	defer e.mu.Unlock()
	if reason := e.invalid[c.key()]; reason != "" {
		return reason
	}
	for _, seed := range seeds {
		if o, ok := e.o.Journal.find(c, seed); ok && o.Failed != "" {
			return o.Failed
		}
	}
	return ""
}

// impossible is the number of impossible candidates, and the reason of the first in order.
func (e *evaluator) impossible() (n int, why string) {
	e.mu.Lock()
	defer e.mu.Unlock()
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

// better notes the least score so far.
func (e *evaluator) better(score float64) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.state.Best = score
}
