package serve

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"weft/internal/sim"
	"weft/internal/sim/protocol"
	"weft/results"
	"weft/scenario"
	"weft/units"
)

// change is one way to change a job's network or its use of it.
type change struct {
	name string
	// set are the fields to set, given the path of each fabric; nil if the change makes no sense.
	set setter
	// network says that it is of a fabric's settings alone; grows, that it takes more nodes.
	network, grows bool
}

type setter func(r *scenario.Resolved, at func(fabric string) string) map[string]any

// changes are those that weft serve --changes simulates.
var changes = []change{
	{name: "keys and values in a class of their own", set: ownClass},
	{name: "a NIC more at each GPU, for keys and values alone", set: func(r *scenario.Resolved, _ func(string) string) map[string]any {
		if n := &r.Cluster.Node; apart(r) && n.NICs%max(1, n.GPUs) == 0 && r.Serving.KV.OwnNICs == 0 {
			return map[string]any{"cluster.node.nics": n.NICs + n.GPUs, "serving.kv.own-nics": 1}
		}
		return nil
	}},
	{name: "keys and values of a GPU over two NICs", set: func(r *scenario.Resolved, _ func(string) string) map[string]any {
		if k := &r.Serving.KV; apart(r) && r.Cluster.Node.NICs > 1 && k.NICs == 1 && k.OwnNICs == 0 {
			return map[string]any{"serving.kv.nics": 2}
		}
		return nil
	}},
	{name: "half of the NICs", set: func(r *scenario.Resolved, _ func(string) string) map[string]any {
		if n := r.Cluster.Node.NICs; n > 1 && r.Serving.KV.OwnNICs == 0 {
			return map[string]any{"cluster.node.nics": n / 2}
		}
		return nil
	}},
	{name: "each layer's keys and values leave when it is computed", set: func(r *scenario.Resolved, _ func(string) string) map[string]any {
		if apart(r) && r.Serving.KV.Send != scenario.KVLayers {
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
	{name: "routing ecmp", network: true, set: routing(scenario.ECMP)},
	{name: "routing deterministic", network: true, set: routing(scenario.Deterministic)},
	{name: "routing adaptive", network: true, set: routing(scenario.Adaptive)},
	{name: "routing spray", network: true, set: routing(scenario.Spray)},
	{name: "DCQCN off", network: true, set: withoutDCQCN},
	{name: "rails in place of a fat tree", set: shape(scenario.FatTree, scenario.RailOptimised)},
	{name: "a fat tree in place of rails", set: shape(scenario.RailOptimised, scenario.FatTree)},
	{name: "two planes, with half of each NIC's rate in each", set: planes},
	{name: "prefill and decode in the same instances", set: collocated},
	{name: "prefill and decode apart, half of the nodes each", set: halves},
	{name: "nodes of decode for prefill", set: func(r *scenario.Resolved, _ func(string) string) map[string]any { return shift(r, 1) }},
	{name: "nodes of prefill for decode", set: func(r *scenario.Resolved, _ func(string) string) map[string]any { return shift(r, -1) }},
	{name: "an instance more of prefill", grows: true, set: func(r *scenario.Resolved, _ func(string) string) map[string]any {
		return more(r, "prefill", &r.Serving.Prefill)
	}},
	{name: "an instance more of decode", grows: true, set: func(r *scenario.Resolved, _ func(string) string) map[string]any {
		if !apart(r) {
			return nil
		}
		return more(r, "decode", &r.Serving.Decode)
	}},
}

// apart reports whether prompts and answers are computed in different instances.
func apart(r *scenario.Resolved) bool { return !r.Serving.Collocated }

// more is an instance more of a pool, on nodes of its own.
func more(r *scenario.Resolved, name string, p *scenario.Pool) map[string]any {
	per := r.Cluster.Node.GPUs
	if p.GPUs()%per != 0 {
		return nil
	}
	nodes := p.GPUs() / per
	out := poolNodes(r.Serving.Prefill.Nodes, r.Serving.Decode.Nodes)
	out["cluster.nodes"] = r.Cluster.Nodes + nodes
	out["serving."+name+".nodes"] = p.Nodes + nodes
	return out
}

func poolNodes(prefill, decode int) map[string]any {
	return map[string]any{"serving.prefill.nodes": prefill, "serving.decode.nodes": decode}
}

// shift moves nodes from decode to prefill: times the smallest number that is whole instances of both
// pools.
func shift(r *scenario.Resolved, times int) map[string]any {
	v := &r.Serving
	step := 1
	for p, d := v.Prefill.GPUs(), v.Decode.GPUs(); step*r.Cluster.Node.GPUs%p != 0 || step*r.Cluster.Node.GPUs%d != 0; {
		if step++; step > r.Cluster.Nodes {
			return nil
		}
	}
	if prefill, decode := v.Prefill.Nodes+times*step, v.Decode.Nodes-times*step; apart(r) && prefill > 0 && decode > 0 {
		return poolNodes(prefill, decode)
	}
	return nil
}

// collocated computes answers in the instances of prefill, on the nodes of both.
func collocated(r *scenario.Resolved, _ func(string) string) map[string]any {
	if !apart(r) {
		return nil
	}
	out := poolNodes(r.Serving.Prefill.Nodes+r.Serving.Decode.Nodes, 0)
	out["serving.collocated"] = true
	return out
}

// halves divides the nodes of a collocated job between prefill and decode, with instances alike.
func halves(r *scenario.Resolved, _ func(string) string) map[string]any {
	p := &r.Serving.Prefill
	if apart(r) || p.Nodes < 2 {
		return nil
	}
	out := poolNodes(p.Nodes-p.Nodes/2, p.Nodes/2)
	out["serving.collocated"] = false
	for field, value := range map[string]int{"tensor": p.Tensor, "data": p.Data, "pipeline": p.Pipeline, "requests": p.Requests} {
		out["serving.decode."+field] = value
	}
	return out
}

// routing is the change to a mode of routing where routes have a choice, and the protocol has the mode: ECMP and spraying are
// Ethernet's.
func routing(mode scenario.RoutingMode) setter {
	return ofFabrics(func(f *scenario.Fabric) map[string]any {
		hashed := mode == scenario.ECMP || mode == scenario.Spray
		if p := protocol.Of(f.Kind); !p.RDMA() || p.Unordered || f.Routing.Mode == mode || f.Topology.Shape == scenario.SingleSwitch || hashed && p.ServiceLevels {
			return nil
		}
		return map[string]any{"routing.mode": mode}
	})
}

// withoutDCQCN turns DCQCN off.
var withoutDCQCN = ofFabrics(func(f *scenario.Fabric) map[string]any {
	if f.CC.Algorithm != scenario.DCQCN {
		return nil
	}
	return map[string]any{"cc": "none"}
})

// shape is the change of one shape of topology for another.
func shape(from, to scenario.Shape) setter {
	return ofFabrics(func(f *scenario.Fabric) map[string]any {
		if f.Topology.Shape != from {
			return nil
		}
		return map[string]any{"topology.shape": to}
	})
}

// planes divides each NIC's rate between two ports, on fabrics of half the rate side by side.
var planes = ofFabrics(func(f *scenario.Fabric) map[string]any {
	t := &f.Topology
	if t.Shape != scenario.SingleSwitch && t.Shape != scenario.FatTree && t.Shape != scenario.RailOptimised || f.NIC.Ports != 1 || f.Link.Lanes%2 != 0 {
		return nil
	}
	return map[string]any{"topology.shape": scenario.DualPlane, "topology.plane-shape": t.Shape, "nic.ports": 2, "link.lanes": f.Link.Lanes / 2}
})

// ofFabrics is a change of fields of each fabric for which it makes sense.
func ofFabrics(of func(f *scenario.Fabric) map[string]any) setter {
	return func(r *scenario.Resolved, at func(string) string) (out map[string]any) {
		for i := range r.Fabrics {
			for field, value := range of(&r.Fabrics[i]) {
				if out == nil {
					out = make(map[string]any)
				}
				out[at(r.Fabrics[i].Name)+"."+field] = value
			}
		}
		return out
	}
}

// ownClass gives keys and values a class on each fabric that can have one: a lane, or a lossless priority with the
// weight of the data's.
func ownClass(r *scenario.Resolved, at func(string) string) map[string]any {
	if r.Serving.KV.Class > 0 || !apart(r) {
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

// packetsOfChanges is mostPackets for each run of Changes, so that all runs end in some minutes. It is half
// of a plain run's, so tails differ, and the report says so.
const packetsOfChanges = mostPackets / 2

// Source is a scenario whose fields can be set.
type Source struct {
	// Resolve gives the scenario with more fields set, which come last.
	Resolve func(more ...scenario.Override) (*scenario.Resolved, error)
	At      func(fabric string) string // the path of a fabric
}

// Changes simulates the job at its rate, and again with each change alone. A change that cannot be is refused in the results.
func Changes(ctx context.Context, from Source, o Options) (*results.Serving, error) {
	r, err := from.Resolve()
	if err != nil {
		return nil, err
	}
	o.packets = cmp.Or(o.packets, packetsOfChanges)
	tell := o.Progress
	o.Progress = ofChange("as it is", tell)
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
		told := results.ServingChange{Name: c.name}
		if err == nil {
			o.Progress = ofChange(c.name, tell)
			told.Fabrics, err = rerun(ctx, r, own, o)
			if ctx.Err() != nil {
				out.Partial = true
				return out, ctx.Err()
			}
		}
		if err != nil {
			told.Refused = err.Error()
		}
		out.Changes = append(out.Changes, told)
	}
	return out, nil
}

// ofChange is a progress that names the change, too.
func ofChange(name string, tell func(sim.Progress)) func(sim.Progress) {
	if tell == nil {
		return nil
	}
	return func(p sim.Progress) {
		p.Fabric = name + ", " + p.Fabric
		tell(p)
	}
}

// rerun simulates a changed job on the fabrics for which something has changed.
func rerun(ctx context.Context, was, is *scenario.Resolved, o Options) (out []results.ServingChanged, err error) {
	own := *is
	own.Fabrics = nil
	same := reflect.DeepEqual(was.Serving, is.Serving) && reflect.DeepEqual(was.Cluster, is.Cluster)
	for i := range is.Fabrics {
		if f := &is.Fabrics[i]; same && reflect.DeepEqual(was.Fabrics[i], *f) {
			out = append(out, results.ServingChanged{Name: f.Name, Unchanged: true})
		} else {
			out = append(out, results.ServingChanged{})
			own.Fabrics = append(own.Fabrics, *f)
		}
	}
	run, err := Run(ctx, &own, o)
	if err != nil {
		return nil, err
	}
	next := fabricsOf(&run.Points[0])
	for i := range out {
		if !out[i].Unchanged {
			out[i], next = next[0], next[1:]
		}
	}
	return out, nil
}

// Alternative is a scenario with one change.
type Alternative struct {
	Name     string
	Scenario *scenario.Resolved // nil: the change cannot be
	Refused  error
}

// Alternatives are the scenario with each change of Changes that needs no more nodes, or with each of its fabric's routing and
// congestion control.
func Alternatives(from Source, networkOnly bool) (out []Alternative) {
	for i := range changes {
		c := &changes[i]
		if c.grows || networkOnly && !c.network {
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
	for _, path := range slices.Sorted(maps.Keys(fields)) {
		set = append(set, scenario.Set(path, fields[path], c.name))
	}
	return from.Resolve(set...)
}

// fabricsOf is the times of a changed job.
func fabricsOf(p *results.ServingPoint) (out []results.ServingChanged) {
	for i := range p.Fabrics {
		f := &p.Fabrics[i]
		own := results.ServingChanged{Name: f.Name, Unstable: cmp.Or(p.Unstable, f.Unstable)}
		if f.Run != nil {
			own.FirstToken, own.PerToken, own.Transfer, own.Good = f.Run.FirstToken, f.Run.PerToken, f.Run.Transfer, f.Run.Good
		} else if own.Unstable == "" {
			own.Unstable = fmt.Sprint(f.Failure)
		}
		out = append(out, own)
	}
	return out
}
