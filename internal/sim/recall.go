package sim

import (
	"context"
	"errors"
	"strings"

	"weft/internal/base/canon"
	"weft/internal/sim/engine"
	"weft/internal/sim/known"
	"weft/results"
	"weft/units"
)

// SizeKind is the kind of the entries that a run keeps: one size on one fabric.
const SizeKind = "size"

// sizeRecipe is what Resimulate needs.
type sizeRecipe struct {
	Scenario []byte // of one fabric and size, as YAML
	Bytes    int64
	Again    bool
}

// recall finds the simulations whose results are known. A run that simulates every period keeps its results, and
// takes none, which skipping may have found.
func recall(o *Options, jobs []job) {
	for i := range jobs {
		j := &jobs[i]
		j.known = nil
		if o.Cache == nil || j.identify() != nil || o.Exact != ExactOn {
			continue
		}
		value, is := o.Cache.Get(j.key)
		if point := new(results.Point); is && canon.Decode(value, point) == nil {
			j.known = point
		}
	}
}

// identify sets the key of a simulation. Of faults, the first seed counts more than the others do.
func (j *job) identify() (err error) {
	j.key, err = j.part.Key(SizeKind, int64(j.Bytes), j.lean())
	return err
}

// lean reports whether a simulation counts less than one of the first seed.
func (j *job) lean() bool { return j.further && len(j.Scenario.Faults) > 0 }

// keep gives the result of a simulation to the cache, unless the simulation failed or was stopped.
func (j *job) keep(cache known.Store) {
	if cache == nil || j.key == (known.Key{}) || j.into.Failure != "" || j.into.Partial {
		return
	}
	value, err := valueOf(j.into)
	if err != nil {
		return
	}
	recipe, err := j.recipe()
	if err != nil {
		return
	}
	cache.Put(j.key, known.Entry{Kind: SizeKind, What: j.name(), Recipe: recipe, Value: value})
}

// valueOf are the bytes of a result, without the engine's work.
func valueOf(p *results.Point) ([]byte, error) {
	own := *p
	own.Counts = own.Counts.WithoutWork()
	return canon.Append(nil, own)
}

// name is the simulation for people.
func (j *job) name() string {
	parts := []string{workloadName(&j.Scenario.Workload)}
	if j.Bytes > 0 {
		parts = append(parts, j.Bytes.String())
	}
	return strings.Join(append(parts, "on", j.Scenario.Fabrics[0].Name), " ")
}

// recipe has the scenario as text, which resolves to the same scenario.
func (j *job) recipe() ([]byte, error) {
	text, err := j.part.Text(j.Bytes)
	if err != nil {
		return nil, err
	}
	return canon.Append(nil, sizeRecipe{text, int64(j.Bytes), j.further})
}

// Resimulate simulates an entry of kind SizeKind again. Key and value are those that a run would keep.
func Resimulate(ctx context.Context, recipe []byte, workers int) (key known.Key, value []byte, err error) {
	var of sizeRecipe
	if err := canon.Decode(recipe, &of); err != nil {
		return key, nil, err
	}
	part, err := known.FromText(of.Scenario)
	if err != nil {
		return key, nil, err
	}
	r := *part.Scenario
	r.Workload.Sizes = []units.Bytes{units.Bytes(of.Bytes)}
	var out results.Results
	jobs, err := jobsOf(&r, &out, nil)
	if err != nil {
		return key, nil, err
	}
	jobs[0].further = of.Again
	if err := jobs[0].identify(); err != nil {
		return key, nil, err
	}
	stop, release := engine.NewStop(ctx)
	defer release()
	o := Options{Workers: workers}
	w := newWatch(1, o)
	defer w.end()
	work(ctx, jobs, o, w, stop)
	if err := errors.Join(ctx.Err(), failures(&out)); err != nil {
		return key, nil, err
	}
	value, err = valueOf(jobs[0].into)
	return jobs[0].key, value, err
}
