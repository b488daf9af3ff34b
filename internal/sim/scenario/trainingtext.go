package scenario

import (
	"fmt"
	"reflect"

	"weft/internal/sim/catalog"
)

// DefaultTraining is what a training job means of which nothing is said. It has no
// model.
func DefaultTraining() Training {
	e, err := catalog.Lookup(catalog.Defaults, "training")
	if err != nil {
		panic(err)
	}
	var t Training
	newDecoder("training").facts("training", e, reflect.ValueOf(&t).Elem())
	return t
}

// Given reports whether there is a model to train.
func (t *Training) Given() bool { return t.Model.Preset != "" || t.Model.Layers > 0 }

// Text is the job as a scenario's section has it, in one line, every number exact.
func (t *Training) Text() string { return flow(reflect.ValueOf(*t), false) }

// Replica is how many GPUs one replica of the model takes.
func (p *Parallel) Replica() int { return p.Tensor * p.Context * p.Pipeline }

// Grown is the job on another number of GPUs, with as much work for each: the batch
// grows with the replicas. The error says why it cannot.
func (t *Training) Grown(from, to int) (Training, error) {
	out := *t
	out.Parallel.Data = 0
	if to%t.Parallel.Replica() != 0 {
		return out, fmt.Errorf("%d GPUs are not a whole number of replicas of %d", to, t.Parallel.Replica())
	}
	if t.Batch.Global*to%from != 0 {
		return out, fmt.Errorf("the batch of %d sequences on %d GPUs is no whole number on %d", t.Batch.Global, from, to)
	}
	out.Batch.Global = t.Batch.Global * to / from
	return out, nil
}

// Name is what the model is called: its preset's name, or what it is.
func (m *Model) Name() string {
	if m.Preset != "" {
		return m.Preset
	}
	if m.Experts > 0 {
		return fmt.Sprintf("own model (%d layers of %d, %d experts)", m.Layers, m.Hidden, m.Experts)
	}
	return fmt.Sprintf("own model (%d layers of %d)", m.Layers, m.Hidden)
}
