package tune

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/optimize"
)

// refine searches the ranges from the best candidate by CMA-ES, with two thirds of the remaining
// budget: the rest is for the neighbours and for another turn.
func (s *searcher) refine(ctx context.Context, step float64) error {
	axes := s.e.p.Axes
	from := s.centre()
	var ranges []int // the axes with a range
	var start []float64
	for k := range axes {
		if place, _ := axes[k].Place(from[k]); axes[k].Numeric() {
			ranges, start = append(ranges, k), append(start, place)
		}
	}
	if len(ranges) == 0 {
		return nil
	}
	population := 4 + int(3*math.Log(float64(len(ranges)))) // the method's own choice
	generations := s.left * 2 / 3 / population
	if generations == 0 {
		generations = s.left / population
	}
	return s.evolve(ctx, &optimize.CmaEsChol{InitStepSize: step, Population: population, Src: s.random}, start, generations,
		func(places []float64) Candidate {
			c := slices.Clone(from)
			for i, k := range ranges {
				c[k] = axes[k].At(mirrored(places[i]))
			}
			return c
		})
}

// evolve runs the method generation by generation: it simulates a whole generation before it draws
// the next, so that the cores' order has no influence.
func (s *searcher) evolve(ctx context.Context, m *optimize.CmaEsChol, start []float64, generations int, candidate func([]float64) Candidate) error {
	if generations == 0 {
		return nil
	}
	n := m.Init(len(start), m.Population)
	operations, results := make(chan optimize.Task, n), make(chan optimize.Task, n)
	tasks := make([]optimize.Task, n)
	for i := range tasks {
		tasks[i].Location = &optimize.Location{X: slices.Clone(start)}
	}
	go m.Run(operations, results, tasks)
	var failure error
	for g := 1; ; g++ {
		generation := make([]optimize.Task, n)
		for range n {
			t := <-operations
			generation[t.ID] = t
		}
		failure = s.generation(ctx, generation, candidate)
		for _, t := range generation {
			results <- t
		}
		end := <-operations // of the iteration, or of the method
		if g == generations || failure != nil || end.Op == optimize.MethodDone {
			break
		}
		results <- end
	}
	results <- optimize.Task{Op: optimize.PostIteration}
	close(results)
	for range operations { // nothing is expected: the method says that it has ended
	}
	return failure
}

// generation scores one generation.
func (s *searcher) generation(ctx context.Context, tasks []optimize.Task, candidate func([]float64) Candidate) error {
	var all []Candidate
	for _, t := range tasks {
		all = append(all, candidate(t.X))
	}
	if err := s.try(ctx, all, len(all)/2); err != nil { // the method looks at the better half alone
		return err
	}
	for i := range tasks {
		score, known := s.scores[all[i].key()]
		if !known {
			score = math.Inf(1) // it is impossible, or the budget is spent
		}
		tasks[i].F = score
	}
	return nil
}

// mirrored reflects a value beyond 0 or 1 back into the range.
func mirrored(x float64) float64 {
	x = math.Abs(math.Mod(x, 2))
	if x > 1 {
		return 2 - x
	}
	return x
}
