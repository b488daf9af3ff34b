package validate

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync"

	"weft/internal/base/stats"
	"weft/internal/sim/workload/llm"
	"weft/internal/study/training"
	"weft/scenario"
	"weft/units"
)

// predictedStep is weft's time of a published step, as a function of its stack's factor. Computing
// times are proportional to the inverse of the factor, and so the step nearly is: it is interpolated
// between two factors.
type predictedStep struct {
	*publishedStep
	seconds, slope float64 // at the factor, and for 1/factor
	factor         float64
	noisy          float64 // seconds with uneven GPUs and kernels; 0: not drawn
}

// at is the step with another factor.
func (p *predictedStep) at(factor float64) float64 {
	return p.seconds + p.slope*(1/factor-1/p.factor)
}

// exact is the factor with which weft's step takes as long as the published one.
func (p *predictedStep) exact() float64 { return 1 / (1/p.factor + (p.Seconds-p.seconds)/p.slope) }

// off is the relative error with a factor.
func (p *predictedStep) off(factor float64) float64 { return relative(p.Seconds, p.at(factor)) }

// predictedSteps are the steps that were simulated or begun, by ID: several cases show some.
var predictedSteps sync.Map

// predicted is weft's time of a published step, simulated once.
func (s *publishedStep) predicted(ctx context.Context) (*predictedStep, error) {
	once := sync.OnceValues(func() (*predictedStep, error) { return s.simulated(ctx) })
	if known, found := predictedSteps.LoadOrStore(s.ID, once); found {
		once, _ = known.(func() (*predictedStep, error))
	}
	p, err := once()
	if err != nil {
		predictedSteps.Delete(s.ID) // a run that was stopped says nothing about the next
	}
	return p, err
}

// simulated simulates a published step.
func (s *publishedStep) simulated(ctx context.Context) (*predictedStep, error) {
	if onACurve(s.ID) {
		s.scenario.Training.Noise.Draws = curveDraws
	}
	f, err := scenario.New("training", &s.scenario)
	if err != nil {
		return nil, err
	}
	r, err := f.Resolve()
	if err != nil {
		return nil, err
	}
	out := &predictedStep{publishedStep: s, factor: r.Training.Framework.Float()}
	if s.Power {
		out.factor = r.Cluster.Node.GPU.Sustained.Float()
	}
	const more = 1.1
	slower := func(_ int, step func(func(*llm.Job)) (units.Time, error)) error {
		t, err := step(func(j *llm.Job) {
			if s.Power {
				j.GPU.Matrix, j.GPU.Head, j.GPU.Attention = j.GPU.Matrix/more, j.GPU.Head/more, j.GPU.Attention/more
			} else {
				j.Framework /= more
			}
		})
		out.slope = t.Seconds()
		return err
	}
	result, err := training.Run(ctx, r, training.Options{Workers: 1, Again: slower})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.ID, err)
	}
	out.seconds = units.Time(result.Fabrics[0].StepPs).Seconds()
	out.slope = (out.slope - out.seconds) / ((more - 1) / out.factor)
	if n := result.Fabrics[0].Noise; n != nil {
		out.noisy = units.Time(n.MeanPs).Seconds()
	}
	return out, nil
}

// predictedList are the published steps of a kind that are simulated; few if short.
func predictedList(e *Env, of func(*publishedStep) bool) (out []*predictedStep, err error) {
	list, err := publishedStepList()
	if err != nil {
		return nil, err
	}
	list = slices.DeleteFunc(list, func(s publishedStep) bool {
		return !of(&s) || s.GPUs > mostStepGPUs || e.Short && (s.GPUs > 8 || s.Model != "llama3-8b" && s.Model != "mpt-7b")
	})
	out = make([]*predictedStep, len(list))
	err = e.each(len(list), func(i int) (err error) {
		out[i], err = list[i].predicted(e.Ctx)
		return err
	})
	return out, err
}

// sourceSteps is the steps of a source, and of all others whose factor is the same.
type sourceSteps struct {
	stack        string
	own          []*predictedStep
	with, beside float64 // the factor in use, and fitted on the other sources
}

// leftOut are the sources of steps, each with the factor that the others give. The factor of a stack
// that is not NVIDIA's was fitted on its own steps: without them it is NVIDIA's.
func leftOut(all []*predictedStep) (out []*sourceSteps) {
	for _, p := range all {
		i := slices.IndexFunc(out, func(s *sourceSteps) bool { return s.stack == p.Stack })
		if i < 0 {
			i = len(out)
			out = append(out, &sourceSteps{stack: p.Stack, with: p.factor})
		}
		out[i].own = append(out[i].own, p)
	}
	for _, s := range out {
		var others []float64
		for _, p := range all {
			if p.Fitted && p.Stack != s.stack && nvidiaStacks[p.Stack] {
				others = append(others, p.exact())
			}
		}
		slices.Sort(others)
		if s.beside = s.with; len(others) > 0 {
			s.beside = stats.Quantile(others, 0.5)
		}
	}
	return out
}

// crossValidation is the case of the steps of a source that gave no constant.
func crossValidation() *Case {
	return &Case{
		ID:        "training/left-out-source",
		Claim:     "Steps of a source take as long as weft says without having seen the source.",
		Reference: "The published steps of training/published-*, of 2024 on.",
		Setting:   "training.framework is fitted anew on the fitted steps of NVIDIA's other stacks: the median of the factors with which each step takes as long as published. Steps of other stacks get it too, and torchtitan the usual power. Beside it the errors with the factors in use.",
		Slow:      true,
		Run:       leftOutSources,
	}
}

func leftOutSources(e *Env) (rows []Row, err error) {
	all, err := predictedList(e, func(s *publishedStep) bool { return s.Year >= 2024 })
	if err != nil {
		return nil, err
	}
	var nvidia, total [2]errorsOfSteps
	for _, s := range leftOut(all) {
		var used, without errorsOfSteps
		factor := s.beside
		for _, p := range s.own {
			if p.Power { // framework is NVIDIA's already
				factor = usualPower
			}
			used.add(p.off(p.factor))
			without.add(p.off(factor))
			for i, off := range []float64{p.off(p.factor), p.off(factor)} {
				total[i].add(off)
				if nvidiaStacks[p.Stack] {
					nvidia[i].add(off)
				}
			}
		}
		rows = append(rows, used.row(s.stack+", with the factor in use", fmt.Sprintf("%.0f %%", 100*s.with)),
			without.row(s.stack+", without its steps", fmt.Sprintf("%.0f %%", 100*factor)))
	}
	for i, name := range []string{"with the factors in use", "without the source's steps"} {
		rows = append(rows, nvidia[i].row("all of NVIDIA's stacks, "+name, ""), total[i].row("all, "+name, ""))
	}
	return rows, nil
}

// usualPower is gpu.sustained of an H100 at 700 W.
const usualPower = 1 / 1.10

// errorsOfSteps sums relative errors.
type errorsOfSteps struct{ n, sum, signed, worst float64 }

func (x *errorsOfSteps) add(off float64) {
	x.n, x.sum, x.signed = x.n+1, x.sum+math.Abs(off), x.signed+off
	if math.Abs(off) > math.Abs(x.worst) {
		x.worst = off
	}
}

// row is the mean absolute error.
func (x *errorsOfSteps) row(name, factor string) Row {
	if factor != "" {
		factor = "factor " + factor + ", "
	}
	return one("mean absolute error, "+name, Percent, 0, x.sum/max(1, x.n), shown, "%s%.0f steps, mean %+.1f %%, worst %+.1f %%", factor, x.n, 100*x.signed/max(1, x.n), 100*x.worst)
}
