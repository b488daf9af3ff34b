package validate

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"weft/internal/sim/workload/llm"
	"weft/internal/study/training"
	"weft/scenario"
	"weft/units"
)

// predictedStep is weft's time of a published step.
type predictedStep struct {
	*publishedStep
	seconds float64
	noisy   float64 // seconds with uneven GPUs and kernels; 0: not drawn
	// factor is the share of its rate with which weft's step takes as long as the published one: training.framework, or
	// gpu.sustained of a stack whose GPUs have less power. Computing times are proportional to its inverse, and so the step
	// nearly is: it is interpolated between two.
	factor float64
}

// off is the relative error.
func (p *predictedStep) off() float64 { return relative(p.Seconds, p.seconds) }

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
	out, factor, slower := &predictedStep{publishedStep: s}, r.Training.Framework.Float(), 0.0
	if s.Power {
		factor = r.Cluster.Node.GPU.Sustained.Float()
	}
	const more = 1.1
	again := func(_ int, step func(func(*llm.Job)) (units.Time, error)) error {
		t, err := step(func(j *llm.Job) {
			if s.Power {
				j.GPU.Matrix, j.GPU.Head, j.GPU.Attention = j.GPU.Matrix/more, j.GPU.Head/more, j.GPU.Attention/more
			} else {
				j.Framework /= more
			}
		})
		slower = t.Seconds()
		return err
	}
	result, err := training.Run(ctx, r, training.Options{Workers: 1, Again: again})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.ID, err)
	}
	out.seconds = units.Time(result.Fabrics[0].StepPs).Seconds()
	slope := (slower - out.seconds) / ((more - 1) / factor)
	out.factor = 1 / (1/factor + (s.Seconds-out.seconds)/slope)
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
