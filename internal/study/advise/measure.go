package advise

import (
	"context"
	"math"
	"slices"

	"weft/internal/study/plan"
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
	Model plan.Model
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

// Meter measures the job on a design, with changes made to its scenario. The measure is likely near
// another one, if that is not nil.
type Meter func(
	ctx context.Context, d *plan.Design, m plan.Model, near *Performance, changes ...scenario.Override,
) (Performance, error)

// measureStep is the Meter of training jobs: a step.
func (b *bench) measureStep(
	ctx context.Context, d *plan.Design, m plan.Model, _ *Performance, changes ...scenario.Override,
) (p Performance, err error) {
	r, err := plan.Scaled(d, m, changes...)
	if err != nil {
		return p, err
	}
	f, err := b.step(ctx, d, r)
	if err != nil {
		return p, err
	}
	return Performance{
		What: "training step of " + d.Resolved.Training.Model.Name(), Model: m, Step: stepOf(f),
	}, nil
}

func stepOf(f *results.TrainingFabric) *Step {
	exposed := int64(0)
	for _, p := range f.Purposes {
		exposed += p.ExposedPs
	}
	return &Step{units.Time(f.StepPs), float64(exposed) / float64(f.StepPs), f.MFU}
}

// measure is the Meter of collectives.
func (b *bench) measure(
	ctx context.Context, d *plan.Design, m plan.Model, _ *Performance, changes ...scenario.Override,
) (p Performance, err error) {
	r, err := plan.Scaled(d, m, changes...)
	if err != nil {
		return p, err
	}
	results, err := b.run(ctx, ofPerformance, d, r)
	if err != nil {
		return p, err
	}
	p = Performance{What: results.Workload, Model: m}
	for _, x := range results.Fabrics[0].Points {
		p.Times = append(p.Times, Timed{units.Bytes(x.Bytes), x.Time})
	}
	return p, nil
}

// tail is the slowest and the median message of a permutation. A message is divided over the planes of the NICs.
func (b *bench) tail(
	ctx context.Context, d *plan.Design, m plan.Model, changes ...scenario.Override,
) (slowest, median units.Time, err error) {
	r, err := plan.Scaled(d, m, slices.Concat(b.permutation(), d.OverPlanes(), changes)...)
	if err != nil {
		return 0, 0, err
	}
	results, err := b.run(ctx, ofTail, d, r)
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
