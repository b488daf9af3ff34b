package advise

import (
	"context"
	"fmt"
	"math"
	"strings"

	"weft/internal/plan"
	"weft/internal/runstore"
	"weft/internal/sim"
	"weft/scenario"
	"weft/units"
)

// Simulator runs a scenario, as sim.Run does.
type Simulator func(ctx context.Context, r *scenario.Resolved, o sim.Options) (*runstore.Results, error)

// Performance is what a workload does on a model.
type Performance struct {
	What  string // the workload: all-reduce
	Model Model
	Times []Timed
	// Slowest and Median are of the messages of a permutation: every NIC sends to
	// one other.
	Slowest, Median units.Time
}

// Timed is the time of the workload at a size.
type Timed struct {
	Bytes units.Bytes
	Time  units.Time
}

// Geometric is the geometric mean of the times, in picoseconds: what a ratio of two
// performances is of. 0 where nothing was measured.
func (p Performance) Geometric() float64 {
	if len(p.Times) == 0 {
		return 0
	}
	sum := 0.0
	for _, t := range p.Times {
		sum += math.Log(float64(t.Time))
	}
	return math.Exp(sum / float64(len(p.Times)))
}

// Meter measures what a design does, with changes made to its scenario. It is what
// another kind of workload, such as a training step, takes the place of.
type Meter func(ctx context.Context, d *plan.Design, m Model, changes ...scenario.Override) (Performance, error)

// bench runs simulations, each only once.
type bench struct {
	simulate Simulator
	options  sim.Options
	message  units.Bytes
	done     map[string]*runstore.Results
}

// run simulates a design's model with changes.
func (b *bench) run(ctx context.Context, d *plan.Design, m Model, changes ...scenario.Override) (*runstore.Results, error) {
	var key strings.Builder
	fmt.Fprintf(&key, "%s\n%s\n%+v", d.Name, d.Scenario, m)
	for _, c := range changes {
		fmt.Fprintf(&key, "\n%s=%s", c.Path, c.Value)
	}
	if r, ok := b.done[key.String()]; ok {
		return r, nil
	}
	r, err := resolved(d, m, changes...)
	if err != nil {
		return nil, err
	}
	results, err := b.simulate(ctx, r, b.options)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", d.Name, err)
	}
	b.done[key.String()] = results
	return results, nil
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
	results, err = b.run(ctx, d, m, append(b.permutation(), changes...)...)
	if err != nil {
		return Performance{}, err
	}
	flows := results.Fabrics[0].Points[0].Flows
	p.Slowest, p.Median = flows.Max, flows.P50
	return p, nil
}

// permutation puts a permutation in place of the job.
func (b *bench) permutation() []scenario.Override {
	return []scenario.Override{{Path: "workload", Value: fmt.Sprintf("{pattern: permutation, sizes: [%s]}", b.message.Exact()), Origin: "the permutation"}}
}
