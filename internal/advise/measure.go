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
	BusBW float64 // GB/s
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
		p.Times = append(p.Times, Timed{units.Bytes(x.Bytes), x.Time, x.BusBW})
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

// Recovery is what a broken uplink does.
type Recovery struct {
	What  string     // the cable
	How   string     // it was noticed
	Open  units.Time // since the fault, until every way is open again
	Delay units.Time // of a permutation that was under way
	Plane string     // of control
}

// faultAt is when the uplink breaks: early in the permutation, so that all messages
// are under way.
const faultAt = 20 * units.Microsecond

// recover breaks the first uplink of the first leaf. Nil where there is none.
func (b *bench) recover(ctx context.Context, d *plan.Design, m Model, changes ...scenario.Override) (*Recovery, error) {
	link, ok := uplink(d, m)
	if !ok {
		return nil, nil
	}
	fault := scenario.Override{Path: "faults", Value: fmt.Sprintf("[{at: %s, link: %s}]", faultAt.Exact(), link), Origin: "the fault"}
	results, err := b.run(ctx, d, m, append(append(b.permutation(), fault), changes...)...)
	if err != nil {
		return nil, err
	}
	f := results.Fabrics[0]
	if f.Control == nil || len(f.Control.Recoveries) == 0 {
		return nil, fmt.Errorf("%s: nothing is known of the recovery", d.Name)
	}
	r := f.Control.Recoveries[0]
	out := &Recovery{What: r.What, How: r.How, Open: r.Open, Plane: f.Control.Plane}
	if p := f.Points[0]; p.Fault != nil && p.Fault.Clean > 0 {
		out.Delay = p.Time - p.Fault.Clean
	}
	return out, nil
}

// uplink names the first cable from the first leaf to a spine, as a fault does.
func uplink(d *plan.Design, m Model) (string, bool) {
	r, err := resolved(d, m)
	if err != nil {
		return "", false
	}
	layout, err := sim.LayoutOf(r, &r.Fabrics[0])
	if err != nil {
		return "", false
	}
	g := layout.Graph
	for i := g.Endpoints; i < len(g.Nodes); i++ {
		for port, cable := range g.Nodes[i].Cables {
			if cable < 0 {
				continue
			}
			c := g.Cables[cable]
			if g.Nodes[c.A.Node].Level > 0 && g.Nodes[c.B.Node].Level > 0 {
				return fmt.Sprintf("%s port %d", g.Nodes[i].Name, port+1), true
			}
		}
	}
	return "", false
}
