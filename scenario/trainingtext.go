package scenario

import (
	"fmt"
	"reflect"

	"weft/internal/sim/catalog"
)

// DefaultTraining is a training job with all defaults. It has no model.
func DefaultTraining() (t Training) {
	defaultsOf("training", reflect.ValueOf(&t).Elem())
	return t
}

// defaultsOf sets the defaults of a job's section.
func defaultsOf(section string, v reflect.Value) {
	e, err := catalog.Lookup(catalog.Defaults, section)
	if err != nil {
		panic(err)
	}
	newDecoder(section).facts(section, e, v)
}

// Given reports whether the job has a model.
func (t *Training) Given() bool { return t.Model.Preset != "" || t.Model.Layers > 0 }

// Text is the job in the form of a scenario's section, in one line, every number exact.
func (t *Training) Text() string { return flow(reflect.ValueOf(*t), false) }

// Replica is the number of GPUs of one replica of the model.
func (p *Parallel) Replica() int { return p.Tensor * p.Context * p.Pipeline }

// Grown is the job on another number of GPUs, with the same work for each: the batch grows with the
// replicas. The error is the reason why it cannot.
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

// Name is the name of the model: its preset's name, or a description.
func (m *Model) Name() string {
	if m.Preset != "" {
		return m.Preset
	}
	if m.Experts > 0 {
		return fmt.Sprintf("own model (%d layers of %d, %d experts)", m.Layers, m.Hidden, m.Experts)
	}
	return fmt.Sprintf("own model (%d layers of %d)", m.Layers, m.Hidden)
}
