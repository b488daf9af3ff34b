package serve

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"weft/internal/sim/protocol"
	"weft/internal/sim/runstore"
	"weft/internal/sim/scenario"
	"weft/units"
)

// change is one way to change a job's network or its use of it.
type change struct {
	name string
	// set are the fields to set, given the path of each fabric; nil if the change makes no sense.
	set func(r *scenario.Resolved, at func(fabric string) string) map[string]any
	// grows says that it takes more nodes.
	grows bool
}

// AdaptiveRouting is the name of the change of routing.
const AdaptiveRouting = "adaptive routing"

// changes are those that weft serve --changes simulates.
var changes = []change{
	{name: "keys and values in a class of their own", set: ownClass},
	{name: "a NIC more at each GPU, for keys and values alone", set: func(r *scenario.Resolved, _ func(string) string) map[string]any {
		if n := &r.Cluster.Node; n.NICs%max(1, n.GPUs) == 0 && r.Serving.KV.OwnNICs == 0 {
			return map[string]any{"cluster.node.nics": n.NICs + n.GPUs, "serving.kv.own-nics": 1}
		}
		return nil
	}},
	{name: "each layer's keys and values leave when it is computed", set: func(r *scenario.Resolved, _ func(string) string) map[string]any {
		if r.Serving.KV.Send != scenario.KVLayers {
			return map[string]any{"serving.kv.send": scenario.KVLayers}
		}
		return nil
	}},
	{name: "exchanges of a half beside computations of the other", set: func(r *scenario.Resolved, _ func(string) string) map[string]any {
		if s := &r.Serving; s.Model.Experts > 0 && !(s.Prefill.Overlap && s.Decode.Overlap) {
			return map[string]any{"serving.prefill.overlap": true, "serving.decode.overlap": true}
		}
		return nil
	}},
	{name: AdaptiveRouting, set: adaptive},
	{name: "an instance more of prefill", grows: true, set: func(r *scenario.Resolved, _ func(string) string) map[string]any {
		return more(r, "prefill", &r.Serving.Prefill)
	}},
	{name: "an instance more of decode", grows: true, set: func(r *scenario.Resolved, _ func(string) string) map[string]any {
		return more(r, "decode", &r.Serving.Decode)
	}},
}

// more is an instance more of a pool, on nodes of its own.
func more(r *scenario.Resolved, name string, p *scenario.Pool) map[string]any {
	per := r.Cluster.Node.GPUs
	if p.GPUs()%per != 0 {
		return nil
	}
	nodes := p.GPUs() / per
	out := map[string]any{"cluster.nodes": r.Cluster.Nodes + nodes, "serving.prefill.nodes": r.Serving.Prefill.Nodes, "serving.decode.nodes": r.Serving.Decode.Nodes}
	out["serving."+name+".nodes"] = p.Nodes + nodes
	return out
}

// ownClass gives keys and values a class on each fabric that can have one: a lane, or a lossless priority with the
// weight of the data's.
func ownClass(r *scenario.Resolved, at func(string) string) map[string]any {
	if r.Serving.KV.Class > 0 {
		return nil
	}
	for class := 1; class < 8; class++ {
		if slices.ContainsFunc(r.Fabrics, func(f scenario.Fabric) bool { return !free(&f, class) }) {
			continue
		}
		out := map[string]any{"serving.kv.class": class}
		for i := range r.Fabrics {
			open(out, &r.Fabrics[i], at(r.Fabrics[i].Name)+".ethernet", class)
		}
		return out
	}
	return nil
}

// free reports whether a class of a fabric is unused.
func free(f *scenario.Fabric, class int) bool {
	switch p, e := protocol.Of(f.Kind), &f.Ethernet; {
	case p.ServiceLevels:
		vl := f.IB.SL2VL[class]
		return vl < f.IB.VLs && vl != f.IB.SL2VL[f.IB.SL] && vl != f.IB.SL2VL[f.IB.AckSL] && f.IB.Arbitrates(vl)
	default:
		return class != e.DataPriority && class != e.AckPriority && class != e.CNPPriority && !slices.ContainsFunc(e.Queues, func(q scenario.Queue) bool { return q.Priority == class })
	}
}

// open gives a priority a queue as the data's, and makes it lossless if the data's is: with headroom of its own, or more
// of what all share.
func open(out map[string]any, f *scenario.Fabric, at string, class int) {
	e := &f.Ethernet
	if protocol.Of(f.Kind).ServiceLevels {
		return
	}
	for _, q := range e.Queues {
		if q.Priority == e.DataPriority {
			q.Priority = class
			out[at+".queues"] = append(slices.Clone(e.Queues), q)
			break
		}
	}
	if n := len(e.PFC.Priorities); slices.Contains(e.PFC.Priorities, e.DataPriority) {
		out[at+".pfc.priorities"] = append(slices.Clone(e.PFC.Priorities), class)
		if pool := e.PFC.HeadroomPool; pool > 0 {
			out[at+".pfc.headroom-pool"] = pool / units.Bytes(n) * units.Bytes(n+1)
		}
	}
}

// adaptive makes routing adaptive where it is not.
func adaptive(r *scenario.Resolved, at func(string) string) map[string]any {
	var out map[string]any
	for i := range r.Fabrics {
		f := &r.Fabrics[i]
		if m := f.Routing.Mode; (m == scenario.ECMP || m == scenario.Deterministic) && protocol.Of(f.Kind).RDMA() {
			if out == nil {
				out = make(map[string]any)
			}
			out[at(f.Name)+".routing.mode"] = scenario.Adaptive
		}
	}
	return out
}

// packetsOfChanges is mostPackets of each of the many runs.
const packetsOfChanges = mostPackets / 2

// Source is a scenario whose fields can be set.
type Source struct {
	// Resolve gives the scenario with more fields set, which come last.
	Resolve func(more ...scenario.Override) (*scenario.Resolved, error)
	At      func(fabric string) string // the path of a fabric
}

// Changes simulates the job at its rate, and again with each change alone. A change that cannot be is refused in the results.
func Changes(ctx context.Context, from Source, o Options) (*runstore.Serving, error) {
	r, err := from.Resolve()
	if err != nil {
		return nil, err
	}
	o.packets = cmp.Or(o.packets, packetsOfChanges)
	steps := o.Progress
	o.Progress = func(done, total int, fabric string) {
		if steps != nil {
			steps(done, total, "as it is, "+fabric)
		}
	}
	out, err := Run(ctx, r, o)
	if err != nil {
		return out, err
	}
	for i := range changes {
		c := &changes[i]
		own, err := c.of(from)
		if own == nil && err == nil {
			continue
		}
		told := runstore.ServingChange{Name: c.name}
		if err == nil {
			o.Progress = func(done, total int, fabric string) {
				if steps != nil {
					steps(done, total, c.name+", "+fabric)
				}
			}
			var changed *runstore.Serving
			changed, err = Run(ctx, own, o)
			if ctx.Err() != nil {
				out.Partial = true
				return out, ctx.Err()
			}
			if err == nil {
				told.Fabrics = fabricsOf(&changed.Points[0])
			}
		}
		if err != nil {
			told.Refused = err.Error()
		}
		out.Changes = append(out.Changes, told)
	}
	return out, nil
}

// Alternative is a scenario with one change.
type Alternative struct {
	Name     string
	Scenario *scenario.Resolved // nil: the change cannot be
	Refused  error
}

// Alternatives are the scenario with each change of Changes that needs no more nodes.
func Alternatives(from Source) (out []Alternative) {
	for i := range changes {
		c := &changes[i]
		if c.grows {
			continue
		}
		if r, err := c.of(from); r != nil || err != nil {
			out = append(out, Alternative{c.name, r, err})
		}
	}
	return out
}

// of is the scenario with a change; nil if the change makes no difference.
func (c *change) of(from Source) (*scenario.Resolved, error) {
	r, err := from.Resolve()
	if err != nil {
		return nil, err
	}
	fields := c.set(r, from.At)
	if fields == nil {
		return nil, nil
	}
	var set []scenario.Override
	for _, path := range sortedKeys(fields) {
		set = append(set, scenario.Set(path, fields[path], c.name))
	}
	return from.Resolve(set...)
}

func sortedKeys(m map[string]any) (out []string) {
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

// fabricsOf is the times of a changed job.
func fabricsOf(p *runstore.ServingPoint) (out []runstore.ServingChanged) {
	for i := range p.Fabrics {
		f := &p.Fabrics[i]
		own := runstore.ServingChanged{Name: f.Name, Unstable: cmp.Or(p.Unstable, f.Unstable)}
		if f.Run != nil {
			own.FirstToken, own.PerToken, own.Transfer, own.Good = f.Run.FirstToken, f.Run.PerToken, f.Run.Transfer, f.Run.Good
		} else if own.Unstable == "" {
			own.Unstable = fmt.Sprint(f.Failure)
		}
		out = append(out, own)
	}
	return out
}
