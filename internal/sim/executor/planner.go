package executor

import (
	"fmt"

	"weft/internal/collective"
	"weft/internal/collective/nccl"
	"weft/scenario"
	"weft/units"
)

// Planner chooses how the collectives of a workload are carried out: what NCCL
// would take for a group of that form and a size, each worked out once.
type Planner struct {
	cluster nccl.Cluster
	factors *scenario.NCCL // on NCCL's figures
	node    *scenario.Node
	passed  []units.Time
	plans   map[planKey]*CollectivePlan
	order   []planKey
}

// planKey is all that a plan depends on.
type planKey struct {
	layout collective.Layout
	do     collective.Op
	bytes  int64
	root   int
	trees  bool // the group has trees of reductions in the network
}

// NewPlanner is who chooses for a scenario's cluster on one of its fabrics.
func NewPlanner(r *scenario.Resolved, f *scenario.Fabric) *Planner {
	return &Planner{
		cluster: clusterOf(r, f, collective.AllReduce), factors: &r.NCCL, node: &r.Cluster.Node, passed: make([]units.Time, r.Cluster.Nodes),
		plans: make(map[planKey]*CollectivePlan),
	}
}

// Plan is how a communicator carries out a collective of a size.
func (p *Planner) Plan(c *Communicator, do collective.Op, bytes int64, root int) (*CollectivePlan, error) {
	k := planKey{c.layout, do, bytes, root, c.trees != nil}
	if plan := p.plans[k]; plan != nil {
		return plan, nil
	}
	plan, err := p.choose(k)
	if err != nil {
		return nil, fmt.Errorf("%v of %v among %d ranks: %w", do, units.Bytes(bytes), c.layout.Ranks(), err)
	}
	p.plans[k] = plan
	p.order = append(p.order, k)
	return plan, nil
}

func (p *Planner) choose(k planKey) (*CollectivePlan, error) {
	cluster := p.cluster
	cluster.Nodes, cluster.PerNode, cluster.NICs = k.layout.Nodes, k.layout.PerNode, k.layout.NICs
	cluster.NVLinkGBps = nvLinkGBps(p.node, k.layout.PerNode, k.do)
	// A multicast group is the node's: with a part of its GPUs NCCL makes one of its
	// own, which the model of the switch does not have.
	cluster.NVLS = cluster.NVLS && k.layout.PerNode == p.node.GPUs
	cluster.CollNet = k.trees
	ch, err := cluster.Choose(k.do, k.bytes)
	if err != nil {
		return nil, err
	}
	spec, err := ch.Spec()
	if err != nil {
		return nil, err
	}
	spec.Root = k.root
	prog, err := collective.New(spec)
	if err != nil {
		return nil, err
	}
	if err := checkPlan(prog); err != nil {
		return nil, err
	}
	over := scaled(ch.Overheads(nccl.ReferenceWire), p.factors)
	plan := &CollectivePlan{
		chosen: chosen{prog, ch, over, spec.Algo, prog.Channels()},
		Pace:   paceOf(&over, 0, p.node.GPUs), inSwitch: dataRate(over.SwitchGBps, 1), unicast: dataRate(cluster.NVLinkGBps*p.factors.Kernel.Factor(), 1),
	}
	plan.Pace.passed = p.passed // the host is one, whoever sends
	return plan, nil
}

// list is what was planned, in the order of first use.
func (p *Planner) list() (out []PlannedCollective) {
	for _, k := range p.order {
		plan := p.plans[k]
		out = append(out, PlannedCollective{
			Do: k.do, Bytes: units.Bytes(k.bytes), Nodes: k.layout.Nodes, PerNode: k.layout.PerNode,
			Algo: plan.algo, Proto: plan.choice.Proto, Channels: plan.channels,
		})
	}
	return out
}
