package advise

import (
	"context"
	"fmt"

	"weft/internal/study/plan"
	"weft/scenario"
	"weft/units"
)

// Recovery is the time for which a fabric lacks a path after a fault.
type Recovery struct {
	Model  plan.Model
	Plane  string // of control
	Broken []Broken
}

// Broken is one fault, and its recovery.
type Broken struct {
	What string
	How  string     // how it was detected
	Open units.Time // from the fault until every path works again
}

// Slowest is the longest of the times.
func (r *Recovery) Slowest() (t units.Time) {
	for _, b := range r.Broken {
		t = max(t, b.Open)
	}
	return t
}

// mostRecovered is the number of NICs of the largest design whose own recovery is simulated: beyond
// it, computing all tables again takes longer than the rest of an advice, and the model is used instead.
const mostRecovered = 128

// mostFaults is the number of faults of a design, if it has what can break.
const mostFaults = 2

// faultAt is the time of faults.
const faultAt = units.Microsecond

// recover breaks an uplink of the first leaf, and in another run the first spine, on the design
// itself. The only traffic is one message between neighbours that neither fault hits: the time of
// the control plane does not depend on traffic. It is nil if nothing can break without cutting off
// nodes.
func (b *bench) recover(ctx context.Context, d *plan.Design, m plan.Model, changes ...scenario.Override) (*Recovery, error) {
	if d.Count.Endpoints <= mostRecovered {
		m = plan.Model{Nodes: d.Count.Nodes, Of: d.Count.Nodes, Divisor: 1, Radix: d.Radix}
	}
	faults, neighbour, err := plan.Breakable(d, m, faultAt)
	b.expect(ofRecovery, d.Kind, len(faults)-mostFaults)
	if err != nil || len(faults) == 0 {
		return nil, err
	}
	out := &Recovery{Model: m, Broken: make([]Broken, len(faults))}
	planes, work := make([]string, len(faults)), make([]func() error, len(faults))
	for i, fault := range faults {
		work[i] = func() (err error) {
			planes[i], out.Broken[i], err = b.mended(ctx, d, m, fault, neighbour, changes...)
			return err
		}
	}
	err = together(work...)
	out.Plane = planes[len(planes)-1]
	return out, err
}

// mended is the recovery from a fault, and the control plane that does it.
func (b *bench) mended(
	ctx context.Context, d *plan.Design, m plan.Model, fault scenario.Fault, neighbour int,
	changes ...scenario.Override,
) (plane string, out Broken, err error) {
	one := []scenario.Flow{{Dst: neighbour, Bytes: 64 * units.KiB}}
	set := []scenario.Override{
		scenario.Set("workload", scenario.Workload{Pattern: scenario.Flows, Flows: one}, "one message"),
		scenario.Set("faults", []scenario.Fault{fault}, "the fault"),
	}
	r, err := plan.Scaled(d, m, append(set, changes...)...)
	if err != nil {
		return "", out, err
	}
	results, err := b.run(ctx, ofRecovery, d, r)
	if err != nil {
		return "", out, err
	}
	control := results.Fabrics[0].Control
	if control == nil || len(control.Recoveries) == 0 {
		return "", out, fmt.Errorf("%s: nothing is known of the recovery", d.Name)
	}
	x := control.Recoveries[0]
	return control.Plane, Broken{x.What, x.How, x.Open}, nil
}
