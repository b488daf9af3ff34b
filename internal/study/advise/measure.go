package advise

import (
	"context"
	"fmt"
	"math"
	"strings"

	"weft/internal/sim"
	"weft/internal/study/many"
	"weft/internal/study/plan"
	"weft/internal/study/serve"
	"weft/internal/study/training"
	"weft/results"
	"weft/scenario"
	"weft/units"
)

// Trainer simulates a training step; training.Run is one.
type Trainer func(ctx context.Context, r *scenario.Resolved, o training.Options) (*results.Training, error)

// Performance is the result of a workload on a model.
type Performance struct {
	What  string // the workload: all-reduce, or a step of a model
	Model Model
	Times []Timed // of a collective, by size
	Step  *Step   // of a training job, instead of Times
	// Serving is of a serving job, instead of Times.
	Serving *Served
	// Slowest and Median are message times of a permutation: every NIC sends to one other.
	Slowest, Median units.Time
}

// Timed is the time of the workload at a size.
type Timed struct {
	Bytes units.Bytes
	Time  units.Time
}

// Step is a training step, in means over its GPUs.
type Step struct {
	Time    units.Time
	Exposed float64 // share of the step in which a GPU moves data and computes nothing
	MFU     float64
}

// geometric is the figure for comparing two performances, in picoseconds: the time of a step, or
// the geometric mean of the times of a collective. It is 0 without a measurement.
func (p Performance) geometric() float64 {
	if p.Step != nil {
		return float64(p.Step.Time)
	}
	if len(p.Times) == 0 {
		return 0
	}
	sum := 0.0
	for _, t := range p.Times {
		sum += math.Log(float64(t.Time))
	}
	return math.Exp(sum / float64(len(p.Times)))
}

// Meter measures a design, with changes made to its scenario.
type Meter func(ctx context.Context, d *plan.Design, m Model, changes ...scenario.Override) (Performance, error)

// bench runs simulations, each only once.
type bench struct {
	simulate many.Runner
	train    Trainer
	serve    Server
	options  sim.Options
	message  units.Bytes
	results  once[*results.Results]
	steps    once[*results.Training]
	limits   once[*serve.Limit]
}

// once are simulations by their keys, each made once.
type once[T any] map[string]T

// of is the simulation of a design's model with changes.
func (o *once[T]) of(
	d *plan.Design, m Model, changes []scenario.Override, simulate func(*scenario.Resolved) (T, error),
) (T, error) {
	key := keyOf(d, m, changes)
	if known, is := (*o)[key]; is {
		return known, nil
	}
	var none T
	r, err := resolved(d, m, changes...)
	if err != nil {
		return none, err
	}
	out, err := simulate(r)
	if err != nil {
		return none, fmt.Errorf("%s, %s: %w", d.Name, m.Text(), err)
	}
	if *o == nil {
		*o = once[T]{}
	}
	(*o)[key] = out
	return out, nil
}

// run simulates a design's model with changes.
func (b *bench) run(ctx context.Context, d *plan.Design, m Model, changes ...scenario.Override) (*results.Results, error) {
	return b.results.of(d, m, changes, func(r *scenario.Resolved) (*results.Results, error) {
		return b.simulate(ctx, r, b.options)
	})
}

// keyOf identifies a simulation.
func keyOf(d *plan.Design, m Model, changes []scenario.Override) string {
	var key strings.Builder
	fmt.Fprintf(&key, "%s\n%s\n%+v", d.Name, d.Scenario, m)
	for _, c := range changes {
		fmt.Fprintf(&key, "\n%s=%s", c.Path, c.Value)
	}
	return key.String()
}

// measureStep is the Meter of training jobs: a step of the design's job, and a
// permutation.
func (b *bench) measureStep(ctx context.Context, d *plan.Design, m Model, changes ...scenario.Override) (Performance, error) {
	p := Performance{Model: m}
	f, err := b.step(ctx, d, m, changes...)
	if err != nil {
		return p, err
	}
	p.What, p.Step = "training step of "+d.Resolved.Training.Model.Name(), stepOf(f)
	p.Slowest, p.Median, err = b.tail(ctx, d, m, changes...)
	return p, err
}

func stepOf(f *results.TrainingFabric) *Step {
	exposed := int64(0)
	for _, p := range f.Purposes {
		exposed += p.ExposedPs
	}
	return &Step{units.Time(f.StepPs), float64(exposed) / float64(f.StepPs), f.MFU}
}

// step simulates a step of a design's training job on its model.
func (b *bench) step(ctx context.Context, d *plan.Design, m Model, changes ...scenario.Override) (*results.TrainingFabric, error) {
	t, err := b.steps.of(d, m, changes, func(r *scenario.Resolved) (*results.Training, error) {
		return b.train(ctx, r, training.Options{Workers: b.options.Workers})
	})
	if err != nil {
		return nil, err
	}
	return &t.Fabrics[0], nil
}

// measure is the Meter of collectives: the design's job, and a permutation.
func (b *bench) measure(ctx context.Context, d *plan.Design, m Model, changes ...scenario.Override) (Performance, error) {
	results, err := b.run(ctx, d, m, changes...)
	if err != nil {
		return Performance{}, err
	}
	p := Performance{What: results.Workload, Model: m}
	for _, x := range results.Fabrics[0].Points {
		p.Times = append(p.Times, Timed{units.Bytes(x.Bytes), x.Time})
	}
	p.Slowest, p.Median, err = b.tail(ctx, d, m, changes...)
	return p, err
}

// tail is the slowest and the median message of a permutation.
func (b *bench) tail(ctx context.Context, d *plan.Design, m Model, changes ...scenario.Override) (slowest, median units.Time, err error) {
	results, err := b.run(ctx, d, m, append(b.permutation(), changes...)...)
	if err != nil {
		return 0, 0, err
	}
	flows := results.Fabrics[0].Points[0].Flows
	return flows.Max, flows.P50, nil
}

// permutation puts a permutation in place of the job.
func (b *bench) permutation() []scenario.Override {
	return []scenario.Override{scenario.Set("workload", scenario.Workload{Pattern: scenario.Permutation, Sizes: []units.Bytes{b.message}}, "the permutation")}
}
