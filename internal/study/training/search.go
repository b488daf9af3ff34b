package training

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"weft/internal/base/sorting"
	"weft/internal/sim"
	"weft/internal/sim/workload/llm"
	"weft/internal/study/many"
	"weft/results"
	"weft/scenario"
	"weft/units"
)

// Search looks for the division of a job's work with the shortest step.
type Search struct {
	// Options are those of the simulations.
	Options
	// Resolve is the scenario with some fields.
	Resolve func(...scenario.Override) (*scenario.Resolved, error)
	// Simulate is the number of divisions to simulate; 0: all stay estimates.
	Simulate int
	// Estimate is the number of divisions whose step is estimated; 0: 600.
	Estimate int
	// Flag is where the fields of a division come from, for errors.
	Flag string
	// Time bounds the search from its begin, but not the first answer; 0: it does not end before it is complete.
	Time time.Duration
	// Estimating, if not nil, is called with the number of divisions that are estimated so far, of all that may be.
	Estimating func(done, all int)
	// Answer, if not nil, is called with the best by estimate: after the first estimates, and before any division is simulated.
	Answer func(*results.TrainingDivisions)
}

// maxEstimated bounds the divisions whose step is estimated: some milliseconds each, of the largest jobs a second. Those
// with the least work beside the products come first.
const maxEstimated = 600

// judged is a division that fits, with its estimate.
type judged struct {
	division
	job      *llm.Job
	given    bool
	least    units.Time // by its computing alone
	estimate units.Time
	failed   error
}

// Run judges the divisions of the scenario's job by memory, then by estimated steps, and simulates the best. The error
// says what is missing if none fits.
func (s *Search) Run(ctx context.Context, r *scenario.Resolved) (*results.TrainingDivisions, error) {
	job, began := trainingJob(r), time.Now()
	out := &results.TrainingDivisions{Version: results.TrainingVersion, Scenario: r.Name, Model: r.Training.Model.Name(), GPU: r.Cluster.Node.GPU.Model, GPUs: r.Training.Nodes * r.Cluster.Node.GPUs, Stack: string(r.Training.Stack), Framework: r.Training.Framework.Float()}
	if err := runs(job); err != nil {
		out.GivenFails, _, _ = strings.Cut(err.Error(), "\n")
		out.GivenFails = strings.TrimSuffix(out.GivenFails, ":")
	}
	list, least := s.fitting(ctx, r, job, out)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if len(list) == 0 {
		return nil, nothingFits(out, least)
	}
	network := ratesOf(r)
	list, done, next, err := s.first(ctx, network, list, out)
	if err != nil {
		return nil, err
	}
	if s.Time > 0 {
		own, stop := context.WithDeadline(ctx, began.Add(s.Time))
		defer stop()
		ctx = own
	}
	list = s.estimate(ctx, network, list, done, next, out)
	return out, s.simulate(ctx, r, network, list, out)
}

// answer gives the best by estimate of a sorted list.
func (s *Search) answer(network *rates, list []*judged, out *results.TrainingDivisions) {
	if s.Answer == nil || s.Simulate == 0 {
		return
	}
	own := *out
	own.Divisions = []results.TrainingDivision{list[0].result(network)}
	s.Answer(&own)
}

// atATime is the number of divisions that are estimated between two looks at the best.
const atATime = 16

// first orders divisions by the least computing, the scenario's own first, and estimates the first of them: without an answer
// nothing but ctx ends it. next is the first division that it did not estimate.
func (s *Search) first(ctx context.Context, network *rates, list []*judged, out *results.TrainingDivisions) (all, done []*judged, next int, err error) {
	given := func(a, b *judged) int { return cmp.Compare(boolInt(b.given), boolInt(a.given)) }
	all = slices.SortedStableFunc(slices.Values(list), func(a, b *judged) int { return cmp.Or(given(a, b), cmp.Compare(a.rough(), b.rough())) })
	all = all[:min(len(all), cmp.Or(s.Estimate, maxEstimated))]
	for _, j := range all {
		j.least = j.job.LeastStep()
	}
	sorting.StableFunc(all, func(a, b *judged) int {
		return cmp.Or(given(a, b), cmp.Compare(a.least, b.least))
	})
	for next < len(all) && len(done) == 0 {
		done = s.estimated(ctx, network, all, next)
		next += atATime
		if err := ctx.Err(); err != nil && len(done) == 0 {
			return nil, nil, 0, err
		}
		out.Estimated = len(done)
	}
	if len(done) == 0 {
		return nil, nil, 0, errors.New("no division of the job makes a whole step")
	}
	sortByEstimate(done)
	s.answer(network, done, out)
	return all, done, next, nil
}

// estimate estimates divisions after the first ones, until the computing of all others takes longer than the best of those that
// are shown, or until ctx ends. The list that it returns has the fastest first, and the scenario's own division.
func (s *Search) estimate(ctx context.Context, network *rates, list, done []*judged, next int, out *results.TrainingDivisions) []*judged {
	for n := next; n < len(list); n += atATime {
		if k := cmp.Or(s.Simulate, shownEstimates); len(done) > k && list[n].least > done[k].estimate {
			out.Slower = len(list) - n
			break
		}
		if out.Partial = ctx.Err() != nil; out.Partial {
			break
		}
		done = append(done, s.estimated(ctx, network, list, n)...)
		sortByEstimate(done)
	}
	if out.Estimated = len(done); !out.Partial {
		s.answer(network, done, out)
	}
	return done
}

// estimated are the next divisions of a list, from its n-th on, that have an estimate.
func (s *Search) estimated(ctx context.Context, network *rates, list []*judged, n int) []*judged {
	some := list[n:min(n+atATime, len(list))]
	many.Each(ctx, len(some), s.Workers, func(i int) { some[i].estimate, some[i].failed = network.estimate(some[i].job) })
	if s.Estimating != nil {
		s.Estimating(n+len(some), len(list))
	}
	return slices.DeleteFunc(slices.Clone(some), func(j *judged) bool { return j.failed != nil || j.estimate == 0 })
}

func sortByEstimate(list []*judged) {
	sorting.StableFunc(list, func(a, b *judged) int { return cmp.Compare(a.estimate, b.estimate) })
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// fitting are the divisions with which the job fits the memory, of those judged before ctx ended. least is the one with the least
// memory, if none fits.
func (s *Search) fitting(ctx context.Context, r *scenario.Resolved, job *llm.Job, out *results.TrainingDivisions) (list []*judged, least *judged) {
	all := divisions(r, job)
	errs := make([]error, len(all))
	many.Each(ctx, len(all), s.Workers, func(i int) { all[i], errs[i] = all[i].fitting(job) })
	out.Judged = len(all)
	for i, d := range all {
		j := &judged{division: d, job: d.of(job), given: d.parallel == job.Parallel && d.micro == job.Batch.Micro && slices.Equal(d.recompute, r.Training.Recompute)}
		var full *llm.MemoryError
		switch {
		case errs[i] == nil:
			list = append(list, j)
		case errors.As(errs[i], &full):
			out.TooLarge++
			if least == nil || j.job.Fullest() < least.job.Fullest() {
				least = j
			}
		default:
			out.Undividable++
		}
	}
	return list, least
}

// rough orders divisions before any is estimated: bubbles of the pipeline, recomputation, and the communication that grows
// with tensor and context parallelism, in shares of the computing time.
func (j *judged) rough() float64 {
	p := &j.parallel
	out := float64(p.Pipeline-1) / float64(p.Chunks) / float64(max(1, j.job.Micros()))
	if slices.Contains(j.recompute, scenario.RecomputeFull) {
		out += 1. / 3
	}
	return out + 0.02*float64(p.Tensor*p.Context-1) + 0.01*float64(p.Expert)/float64(max(1, j.job.Model.Experts))
}

// nothingFits says by how much the memory is too small.
func nothingFits(out *results.TrainingDivisions, least *judged) error {
	if least == nil {
		return fmt.Errorf("no division of the job is even: %d were looked at; take a number of GPUs, heads, layers or sequences with more divisors", out.Judged)
	}
	return fmt.Errorf("no division of the job fits: the least memory of %d divisions is %s on each GPU, which has %s (%s); take more GPUs, or larger ones",
		out.Judged, least.job.Fullest(), least.job.GPU.Memory, least.fields())
}

// shownEstimates is the number of divisions that a search without simulation returns.
const shownEstimates = 5

// simulate fills in the divisions: the first of the list, simulated if any is, and the scenario's own. Those that are not
// simulated when ctx ends are estimates, and stand behind the others.
func (s *Search) simulate(ctx context.Context, r *scenario.Resolved, network *rates, list []*judged, out *results.TrainingDivisions) error {
	want := cmp.Or(s.Simulate, shownEstimates)
	for _, j := range list {
		if len(out.Divisions) >= want && !j.given {
			continue
		}
		d := j.result(network)
		if s.Simulate > 0 {
			own, err := s.Resolve(j.overrides(r.Training.Batch.Global, s.Flag)...)
			if err != nil {
				continue // a rule of the scenario that the job has not, as of exchange: dispatch
			}
			var steps []results.DivisionOnFabric
			if ctx.Err() == nil {
				steps, err = s.steps(ctx, own, out.Simulated)
			}
			switch {
			case ctx.Err() != nil:
				out.Partial, want = true, max(want, shownEstimates)
			case err != nil:
				return fmt.Errorf("%s: %w", d.Fields, err)
			default:
				d.Fabrics = steps
				out.Simulated++
			}
		}
		out.Divisions = append(out.Divisions, d)
	}
	if len(out.Divisions) == 0 {
		return cmp.Or(ctx.Err(), errors.New("the scenario takes none of the divisions that fit"))
	}
	sorting.StableFunc(out.Divisions, func(a, b results.TrainingDivision) int {
		return cmp.Or(cmp.Compare(boolInt(b.Fabrics != nil), boolInt(a.Fabrics != nil)), cmp.Compare(a.Fastest(), b.Fastest()))
	})
	return nil
}

// steps are the steps of a division on the fabrics, after some others.
func (s *Search) steps(ctx context.Context, own *scenario.Resolved, done int) ([]results.DivisionOnFabric, error) {
	o := s.Options
	if o.Progress != nil {
		o.Progress = s.of(done)
	}
	t, err := Run(ctx, own, o)
	if err != nil {
		return nil, err
	}
	return onFabrics(t), nil
}

// of is the progress of the whole search while a simulation runs.
func (s *Search) of(done int) func(sim.Progress) {
	return func(p sim.Progress) {
		p.Share = min(1, (float64(done)+p.Share)/float64(s.Simulate+1)) // with the scenario's own
		s.Progress(p)
	}
}

// onFabrics are the steps of a simulated division.
func onFabrics(t *results.Training) (out []results.DivisionOnFabric) {
	for i := range t.Fabrics {
		f := &t.Fabrics[i]
		own := results.DivisionOnFabric{Name: f.Name, StepPs: f.StepPs, MFU: f.MFU, BubblePs: f.BubblePs}
		for _, p := range f.Purposes {
			own.ExposedPs += p.ExposedPs
		}
		out = append(out, own)
	}
	return out
}

// result is a division in the form of the results.
func (j *judged) result(network *rates) results.TrainingDivision {
	p := &j.parallel
	out := results.TrainingDivision{
		Fields: j.fields(), Given: j.given, Tensor: p.Tensor, Context: p.Context, Pipeline: p.Pipeline, Chunks: p.Chunks, Schedule: p.Schedule.String(),
		Data: p.Data, Expert: p.Expert, ZeRO: p.ZeRO, Micro: j.micro, EstimatePs: int64(j.estimate),
		Memory: j.job.Fullest(), Of: j.job.GPU.Memory, Crossing: network.crossing(j.job),
	}
	for _, part := range j.recompute {
		out.Recompute = append(out.Recompute, string(part))
	}
	return out
}

// fields are the fields of training that make the division, also from the scenario's own.
func (d *division) fields() string {
	p, from := &d.parallel, d.from
	parts := []string{fmt.Sprintf("tensor: %d, pipeline: %d", p.Tensor, p.Pipeline)}
	add := func(is bool, format string, args ...any) {
		if is {
			parts = append(parts, fmt.Sprintf(format, args...))
		}
	}
	add(p.Chunks > 1 && p.Schedule == 0 || from.Chunks > 1 && from.Schedule == 0, "interleave: %d", p.Chunks)
	add(p.Schedule != 0 || from.Schedule != 0, "schedule: %s", p.Schedule)
	add(max(p.Context, from.Context) > 1, "context: %d", p.Context)
	add(max(p.Expert, from.Expert) > 1, "expert: %d", p.Expert)
	add(p.Expert > 1 && p.WholeExperts, "whole-experts: true")
	add(p.ZeRO != 1 || from.ZeRO != 1, "zero: %d", p.ZeRO)
	text := "parallel: {" + strings.Join(parts, ", ") + fmt.Sprintf("}, batch: {micro: %d}", d.micro)
	var again []string
	for _, part := range d.recompute {
		again = append(again, string(part))
	}
	return text + ", recompute: [" + strings.Join(again, ", ") + "]"
}
