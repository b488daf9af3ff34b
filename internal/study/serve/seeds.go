package serve

import (
	"context"
	"fmt"

	"weft/internal/study/many"
	"weft/results"
)

// Several seeds: the requests and everything random in a fabric depend on the seed; the requests of a trace do not.

// again are the studies with the further seeds, and their simulations, at the same rates.
func (s *study) again(ctx context.Context, o *Options, rates []float64) (others []*study, tasks []task, err error) {
	for k := 1; k < o.Seeds; k++ {
		r := *s.r
		r.Run.Seed += uint64(k)
		own, _, err := begin(ctx, &r, o)
		if err != nil {
			return nil, nil, fmt.Errorf("with seed %d: %w", r.Run.Seed, err)
		}
		others = append(others, own)
		tasks = append(tasks, own.points(rates)...)
	}
	return others, tasks, nil
}

// tellSeeds fills in each point over the seeds.
func (s *study) tellSeeds(others []*study) {
	if len(others) == 0 {
		return
	}
	for i := range s.out.Points {
		p := &s.out.Points[i]
		ideal := []*results.ServingRun{steady(p.Ideal, p.Unstable)}
		for _, own := range others {
			q := &own.out.Points[i]
			ideal = append(ideal, steady(q.Ideal, q.Unstable))
		}
		p.IdealSeeds = overSeeds(ideal)
		for j := range p.Fabrics {
			f := &p.Fabrics[j]
			runs := []*results.ServingRun{steady(f.Run, p.Unstable+f.Unstable)}
			for _, own := range others {
				q := &own.out.Points[i]
				g := &q.Fabrics[j]
				runs = append(runs, steady(g.Run, q.Unstable+g.Unstable))
				f.Counts.Events += g.Counts.Events // the engine's work, which is no result
				if g.Failure != "" && f.Failure == "" {
					f.Failure = fmt.Sprintf("with seed %d: %s", own.r.Run.Seed, g.Failure)
				}
			}
			f.Seeds = overSeeds(runs)
		}
	}
}

// steady is a run that has a steady state; else nil.
func steady(run *results.ServingRun, unstable string) *results.ServingRun {
	if unstable != "" {
		return nil
	}
	return run
}

// overSeeds is the spread of runs, of which those without a steady state are nil.
func overSeeds(runs []*results.ServingRun) *results.ServingSeeds {
	out := &results.ServingSeeds{Seeds: len(runs)}
	var first50, first99, per50, per99 []int64
	var good []float64
	for _, r := range runs {
		if r == nil {
			out.Unstable++
			out.FirstTokenP99s = append(out.FirstTokenP99s, 0)
			continue
		}
		out.FirstTokenP99s = append(out.FirstTokenP99s, r.FirstToken.P99)
		first50, first99 = append(first50, r.FirstToken.P50), append(first99, r.FirstToken.P99)
		per50, per99 = append(per50, r.PerToken.P50), append(per99, r.PerToken.P99)
		good = append(good, r.Good)
	}
	if len(good) == 0 {
		return out
	}
	out.FirstTokenP50, out.FirstTokenP99 = many.SpreadOf(first50), many.SpreadOf(first99)
	out.PerTokenP50, out.PerTokenP99 = many.SpreadOf(per50), many.SpreadOf(per99)
	out.Good = many.ShareSpreadOf(good)
	return out
}
