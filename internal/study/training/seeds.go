package training

import (
	"fmt"

	"weft/internal/sim/run/phases"
	"weft/internal/sim/workload/llm"
	"weft/internal/study/many"
	"weft/results"
)

// Several seeds: collisions and marks depend on the seed. The step is simulated again with each
// further seed, except for islands that do not depend on it: their switches have no choice, and no
// packet was marked.

// withSeed is the step with another seed.
func (s *steps) withSeed(seed uint64) *steps {
	r, part := *s.scenario, s.part.WithSeed(seed)
	r.Run.Seed = seed
	q := *s.plan
	q.Run = &part.Scenario.Run
	job, step := s.job, s.step
	if job.Kernels { // tokens choose other experts
		other := *job
		other.Busiest = busiest(&r)
		job, step = &other, other.Step(llm.FoldAll)
	}
	own := &steps{
		training: &training{scenario: &r, job: job, step: step, entire: s.entire, out: s.out, sharing: s.sharing, cache: s.cache},
		part:     part, bare: part.WithoutSlowLinks(), plan: &q, fabric: s.fabric, result: new(results.TrainingFabric), base: s,
	}
	if !s.entire {
		own.fold = s.fold.Again(&q, &r, step.Phases)
		own.divided()
	}
	return own
}

// again are the simulations with the further seeds; they follow the first seed's.
func (f *fabricSteps) again() (tasks []*trainingTask) {
	for _, s := range f.seeds {
		tasks = append(tasks, s.tasks()...)
	}
	return tasks
}

// known is the run of an island with the first seed, if the seed makes no difference to it;
// otherwise nil.
func (s *steps) known(number int) *phases.IslandRun {
	if s.base == nil {
		return nil
	}
	return s.fold.Islands[number].Known(s.base.islands)
}

// tellSeeds fills in the step over the seeds. It fills in nothing if a step is incomplete; the
// failure or the end of the run is reported elsewhere.
func (f *fabricSteps) tellSeeds() {
	if len(f.seeds) == 0 || f.result.StepPs == 0 {
		return
	}
	for k, s := range f.seeds {
		if s.result.Failure != "" && f.result.Failure == "" {
			f.result.Failure = fmt.Sprintf("with seed %d: %s", f.scenario.Run.Seed+uint64(k)+1, s.result.Failure)
		}
		if s.result.StepPs == 0 {
			return
		}
	}
	over := func(value func(*results.TrainingFabric) int64) []int64 {
		x := []int64{value(f.result)}
		for _, s := range f.seeds {
			x = append(x, value(s.result))
		}
		return x
	}
	out := &results.TrainingSeeds{Seeds: 1 + len(f.seeds), StepsPs: over(func(r *results.TrainingFabric) int64 { return r.StepPs })}
	out.Step = many.SpreadOf(out.StepsPs)
	for _, p := range f.result.Purposes {
		out.Exposed = append(out.Exposed, results.PurposeSpread{
			Purpose: p.Purpose, Spread: many.SpreadOf(over(func(r *results.TrainingFabric) int64 { return r.ExposedPs(p.Purpose) })),
		})
	}
	f.result.Seeds = out
}
