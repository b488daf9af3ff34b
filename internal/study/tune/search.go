package tune

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distmv"
	"gonum.org/v1/gonum/stat/samplemv"
)

// searcher searches for the candidate with the least score. Its steps depend on scores alone, so a
// repeated search makes the same steps.
type searcher struct {
	e      *evaluator
	seeds  []uint64
	random rand.Source
	left   int // candidates that may still be simulated
	scores map[string]float64
	best   Candidate // nil while nothing is better than the scenario as it stands
	least  float64
	steps  []Step
	spread spread
	failed int
	// stopped is the number of candidates without all seeds.
	stopped int
	equal   int    // candidates with the score of the scenario as it stands
	cause   string // reason of the first failure
}

// Step is the least score after a number of candidates.
type Step struct {
	Candidates int     `json:"candidates"`
	Score      float64 `json:"score"` // of the best so far
}

// search finds the best candidate, and undoes changes that are not worthwhile.
func search(ctx context.Context, e *evaluator, seeds []uint64) (*searcher, error) {
	s := begin(e, seeds)
	err := s.spend(ctx)
	if err == nil {
		err = s.simplify(ctx)
	}
	return s, err
}

// begin is a search with the scores of the scenario as it stands.
func begin(e *evaluator, seeds []uint64) *searcher {
	s := &searcher{
		e: e, seeds: seeds, left: e.p.plan.candidates, scores: make(map[string]float64),
		random: rand.NewPCG(e.p.Stands.Run.Seed, 0x7473), // separate from the simulations' random streams
	}
	s.least, _ = e.score(nil, seeds)
	s.steps = []Step{{0, s.least}}
	return s
}

// spend spends the plan's candidates.
func (s *searcher) spend(ctx context.Context) error {
	if s.e.p.plan.all {
		return s.try(ctx, every(s.e.p), 1)
	}
	if err := s.explore(ctx); err != nil {
		return err
	}
	step := 0.2 // of the cube's edge
	for range maxTurns {
		before := s.left
		if err := s.refine(ctx, step); err != nil {
			return err
		}
		if err := s.neighbours(ctx); err != nil {
			return err
		}
		if s.left == before || s.left == 0 {
			break
		}
		step /= 2
	}
	if s.left > 0 { // less than a generation is left
		return s.try(ctx, s.hypercube(s.left), 1)
	}
	return nil
}

// simplify gives each parameter in turn its original value, if the score stays within a thousandth:
// such a change is not worth making on a device.
func (s *searcher) simplify(ctx context.Context) error {
	if s.best == nil {
		return nil
	}
	bound := s.least * (1 + worthwhile)
	best, changed := slices.Clone(s.best), 0
	for k := range s.e.p.Axes {
		stands, ok := s.e.p.Stands.ValueAt(s.e.p.Axes[k].Path)
		if !ok || best[k] == stands {
			continue
		}
		c := slices.Clone(best)
		c[k] = stands
		if err := s.e.simulate(ctx, []Candidate{c}, s.seeds); err != nil {
			return err
		}
		if score, _ := s.e.score(c, s.seeds); score <= bound {
			best, s.least = c, score
		} else {
			changed++
		}
	}
	if s.best = best; changed == 0 {
		s.best, s.least = nil, s.steps[0].Score
	}
	return nil
}

// every is all combinations of values.
func every(p *Problem) []Candidate {
	all := []Candidate{{}}
	for i := range p.Axes {
		var more []Candidate
		for _, c := range all {
			for _, v := range p.Axes[i].Values {
				more = append(more, append(slices.Clone(c), v))
			}
		}
		all = more
	}
	return all
}

// try simulates the new candidates, of which so many matter, as far as the budget goes, in parallel,
// and notes them in their order.
func (s *searcher) try(ctx context.Context, candidates []Candidate, matter int) error {
	var fresh []Candidate
	for _, c := range candidates {
		if _, seen := s.scores[c.key()]; seen || s.e.isImpossible(c) || len(fresh) == s.left {
			continue
		}
		s.scores[c.key()] = math.Inf(1)
		fresh = append(fresh, c)
	}
	if len(fresh) == 0 {
		return nil
	}
	outcomes, err := s.race(ctx, fresh, matter)
	for i, c := range fresh {
		if !math.IsNaN(outcomes[i].score) {
			s.note(c, outcomes[i])
		}
	}
	s.left -= len(fresh)
	s.foresee()
	return err
}

// foresee estimates the number of simulations in all: candidates to come have as many seeds as those
// before them.
func (s *searcher) foresee() {
	n, candidates := len(s.seeds), s.steps[len(s.steps)-1].Candidates
	if candidates == 0 {
		return
	}
	each := float64(candidates*n-s.stopped*(n-1)) / float64(candidates)
	s.e.state.Total = min(s.e.p.Stands.Tune.Runs, s.e.state.Done+int(float64(s.left)*each)+s.e.p.plan.after)
}

// note takes a score. A candidate that was stopped is not the best.
func (s *searcher) note(c Candidate, o outcome) {
	score := o.score
	s.scores[c.key()] = score
	if math.IsInf(score, 1) {
		s.failed++
		if s.cause == "" {
			s.cause = s.e.causeOf(c, s.seeds)
		}
	}
	if score == s.steps[0].Score {
		s.equal++
	}
	if score < s.least && !o.stopped {
		s.least, s.best = score, c
	}
	n := s.steps[len(s.steps)-1].Candidates + 1
	s.steps = append(s.steps, Step{n, s.least})
	s.e.state.Best = s.least
}

// explore spreads a quarter of the budget over the cube.
func (s *searcher) explore(ctx context.Context) error {
	n := max(leastSearch, s.left/4)
	first := s.left
	for range maxDraws {
		missing := n - (first - s.left)
		if missing <= 0 || s.left == 0 {
			break
		}
		if err := s.try(ctx, s.hypercube(missing), 1); err != nil {
			return err
		}
	}
	if first == s.left {
		_, why := s.e.impossible()
		return errors.New("no drawn combination is a valid scenario: " + why)
	}
	return nil
}

// hypercube is n candidates; each parameter has a value in every n-th part of its range once.
func (s *searcher) hypercube(n int) []Candidate {
	axes := s.e.p.Axes
	places := mat.NewDense(n, len(axes), nil)
	samplemv.LatinHypercube{Q: distmv.NewUnitUniform(len(axes), s.random), Src: s.random}.Sample(places)
	out := make([]Candidate, n)
	for i := range out {
		for k := range axes {
			out[i] = append(out[i], axes[k].At(places.At(i, k)))
		}
	}
	return out
}

// centre is the start of the next steps: the best candidate, or the least bad one if the scenario
// as it stands is better.
func (s *searcher) centre() Candidate {
	if s.best != nil {
		return s.best
	}
	key, least := "", math.Inf(1)
	for k, score := range s.scores {
		if score < least || score == least && (key == "" || k < key) {
			key, least = k, score
		}
	}
	return candidateOf(key)
}

// neighbours tries each other enumerated value of the best candidate.
func (s *searcher) neighbours(ctx context.Context) error {
	from := s.centre()
	var around []Candidate
	for k := range s.e.p.Axes {
		for _, v := range s.e.p.Axes[k].Values {
			c := slices.Clone(from)
			c[k] = v
			around = append(around, c)
		}
	}
	return s.try(ctx, around, 1)
}
