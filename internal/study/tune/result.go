package tune

import (
	"context"
	"math"

	"weft/scenario"
)

// ResultVersion is the version of the layout of tune.json.
const ResultVersion = 1

// Result is the result of a tuning.
type Result struct {
	Version    int                `json:"version"`
	Scenario   string             `json:"scenario"`
	Fabric     string             `json:"fabric"`
	Objective  map[string]float64 `json:"objective"` // non-zero weights
	Seeds      []uint64           `json:"seeds"`     // of the search
	HeldOut    []uint64           `json:"held_out_seeds"`
	Parameters []Tuned            `json:"parameters"`
	Found      bool               `json:"found"` // a better candidate than the scenario as it stands
	Search     Search             `json:"search"`
	// Proof is nil if nothing better was found, or the tuning was stopped.
	Proof       *Proof    `json:"proof,omitempty"`
	Sensitivity []Profile `json:"sensitivity"`
	Partial     bool      `json:"partial,omitempty"`

	best Candidate
}

// Tuned is a parameter with its result.
type Tuned struct {
	Path   string `json:"path"`
	Range  string `json:"range"`  // from … to, or the values
	Stands string `json:"stands"` // in the scenario as it stands
	Tuned  string `json:"tuned"`
}

// Search describes the search.
type Search struct {
	Candidates   int  `json:"candidates"`   // simulated
	Combinations bool `json:"combinations"` // all combinations
	Failed       int  `json:"failed"`       // of them
	// Stopped are candidates that were simulated with the first seed alone: it showed that they are not the best.
	Stopped       int     `json:"stopped_early,omitempty"`
	FailedWhy     string  `json:"failed_why,omitempty"`
	Impossible    int     `json:"impossible"` // impossible combinations: not simulated
	ImpossibleWhy string  `json:"impossible_why,omitempty"`
	Stands        float64 `json:"score_stands"`
	Best          float64 `json:"score_best"`
	Steps         []Step  `json:"steps"`
	// NoDifference is true if every candidate has the score of the scenario as it stands. Unmarked and Unpaused then are
	// true if congestion control acts on marks alone and no packet was marked in any simulation, and if no port sent a
	// pause of PFC.
	NoDifference bool `json:"no_difference,omitempty"`
	Unmarked     bool `json:"unmarked,omitempty"`
	Unpaused     bool `json:"unpaused,omitempty"`
}

// Improvement is the gain of the best candidate on the seeds of the search, relative to the
// scenario as it stands.
func (s *Search) Improvement() float64 { return 1 - over(s.Best, s.Stands) }

// Run tunes. If ctx ends it returns the results so far, marked as partial, and ctx's error.
func Run(ctx context.Context, p *Problem, o Options) (*Result, error) {
	e := newEvaluator(p, o)
	seeds, heldOut := p.seeds()
	r := p.result(seeds, heldOut)
	if err := e.begin(ctx, seeds); err != nil {
		return nil, err
	}
	s, err := search(ctx, e, seeds)
	if s == nil {
		return nil, err
	}
	r.found(p, e, s)
	if err == nil && r.Found {
		r.Proof, err = proof(ctx, e, r.best, heldOut)
	}
	if err == nil && r.Found {
		r.Sensitivity, err = sensitivity(ctx, e, r.best, seeds)
	}
	if err != nil && ctx.Err() == nil {
		return nil, err
	}
	r.Partial = err != nil
	return r, ctx.Err()
}

// Begun is the result before the first simulation.
func (p *Problem) Begun() *Result {
	r := p.result(p.seeds())
	r.Partial = true
	return r
}

// result is an empty result.
func (p *Problem) result(seeds, heldOut []uint64) *Result {
	r := &Result{
		Version: ResultVersion, Scenario: p.Stands.Name, Fabric: p.Stands.Fabrics[p.Fabric].Name,
		Objective: make(map[string]float64), Seeds: seeds, HeldOut: heldOut, Sensitivity: []Profile{},
	}
	for _, t := range Terms {
		if w := t.weight(&p.Stands.Tune.Objective); w.Num > 0 {
			r.Objective[t.Name] = float64(w.Num) / float64(w.Den)
		}
	}
	for i := range p.Stands.Tune.Parameters {
		own := &p.Stands.Tune.Parameters[i]
		stands, _ := p.Stands.ValueAt(own.Path)
		r.Parameters = append(r.Parameters, Tuned{Path: own.Path, Range: rangeText(own), Stands: stands, Tuned: stands})
	}
	return r
}

// rangeText is the range of a parameter.
func rangeText(p *scenario.Parameter) string {
	if len(p.Values) == 0 {
		return string(p.From) + " to " + string(p.To)
	}
	text := ""
	for i, v := range p.Values {
		if i > 0 {
			text += ", "
		}
		text += string(v)
	}
	return text
}

// found takes over the results of the search.
func (r *Result) found(p *Problem, e *evaluator, s *searcher) {
	r.best, r.Found = s.best, s.best != nil
	for i, v := range s.best {
		r.Parameters[i].Tuned = v
	}
	last := s.steps[len(s.steps)-1]
	r.Search = Search{
		Candidates: last.Candidates, Combinations: p.plan.all, Failed: s.failed, FailedWhy: s.cause, Stopped: s.stopped,
		Stands: s.steps[0].Score, Best: s.least, Steps: s.steps,
	}
	r.Search.Impossible, r.Search.ImpossibleWhy = e.impossible()
	if r.Search.NoDifference = s.equal > 0 && s.equal == last.Candidates; r.Search.NoDifference {
		marks, pauses := e.marksAndPauses()
		r.Search.Unmarked = marks == 0 && p.Stands.Fabrics[p.Fabric].CC.Algorithm.ByMarks()
		r.Search.Unpaused = pauses == 0
	}
}

// Best is the best candidate, nil if nothing was better than the scenario as it stands.
func (r *Result) Best() Candidate { return r.best }

// finite is a score for JSON, which has no infinity.
func finite(x float64) *float64 {
	if math.IsInf(x, 0) || math.IsNaN(x) {
		return nil
	}
	return &x
}
