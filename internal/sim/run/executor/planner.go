package executor

import (
	"cmp"
	"fmt"

	"weft/internal/sim/collective"
	"weft/internal/sim/collective/nccl"
	"weft/internal/sim/workload"
	"weft/scenario"
	"weft/units"
)

// Planner chooses the configuration of a workload's collectives: NCCL's choice for a group of that
// form and a size, each computed once.
type Planner struct {
	cluster nccl.Cluster
	factors *scenario.NCCL // on NCCL's figures
	node    *scenario.Node
	passed  []units.Time
	sender  workload.Sender // of messages
	proxy   units.Time      // of a work request of the sender GPU
	threads int             // that have it
	copies  units.Rate      // of its kernel inside a node; 0: NCCL's figure
	plans   map[planKey]*CollectivePlan
	order   []planKey
}

// planKey is everything that a plan depends on.
type planKey struct {
	layout collective.Layout
	do     collective.Op
	bytes  int64
	root   int
	trees  bool // the group has trees of reductions in the network
}

// NewPlanner is the planner for a scenario's cluster on one of its fabrics.
func NewPlanner(r *scenario.Resolved, f *scenario.Fabric) *Planner {
	return &Planner{
		cluster: clusterOf(r, f, collective.AllReduce), factors: &r.NCCL, node: &r.Cluster.Node, passed: make([]units.Time, r.Cluster.Nodes),
		plans: make(map[planKey]*CollectivePlan),
	}
}

// sends takes over how a workload sends its messages.
func (p *Planner) sends(g *workload.Graph) {
	if p.sender != g.Sender || p.copies != g.CopyRate || p.proxy != g.Proxy || p.threads != g.ProxyThreads {
		clear(p.plans)
	}
	p.sender, p.copies, p.proxy, p.threads = g.Sender, g.CopyRate, g.Proxy, g.ProxyThreads
}

// Plan is the configuration of a collective of a size on a communicator.
func (p *Planner) Plan(c *Communicator, do collective.Op, bytes int64, root int) (*CollectivePlan, error) {
	k := planKey{c.layout, do, bytes, root, c.trees != nil}
	if plan := p.plans[k]; plan != nil {
		return plan, nil
	}
	plan, err := p.choose(k)
	if err != nil {
		return nil, fmt.Errorf("%v of %v among %d ranks: %w", do, units.Bytes(bytes), c.layout.Ranks(), err)
	}
	plan.number = len(p.order)
	p.plans[k] = plan
	p.order = append(p.order, k)
	return plan, nil
}

func (p *Planner) choose(k planKey) (*CollectivePlan, error) {
	if k.do == collective.Send && p.sender != workload.NCCL {
		return p.plainSend(k)
	}
	cluster := p.cluster
	cluster.Nodes, cluster.PerNode, cluster.NICs = k.layout.Nodes, k.layout.PerNode, k.layout.NICs
	cluster.NVLinkGBps = nvLinkGBps(p.node, cluster.Release, k.layout.PerNode, k.do)
	// A multicast group spans the node: for a part of its GPUs NCCL makes a separate group, which
	// the model of the switch does not have.
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
	made, err := configured(ch, spec, p.factors)
	if err != nil {
		return nil, err
	}
	if err := checkPlan(made.program); err != nil {
		return nil, err
	}
	over := &made.overhead
	plan := &CollectivePlan{
		chosen: made,
		Limits: hostLimitsOf(over, 0, p.node.GPUs), inSwitch: dataRate(over.SwitchGBps, 1), unicast: dataRate(cluster.NVLinkGBps*p.factors.Kernel.Float(), 1),
	}
	plan.Limits.passed = p.passed // all collectives share one host
	return plan, nil
}

// mpiSoftware is the time of an MPI library for a message at both ends together: an assumption,
// twice 0.25 us.
const mpiSoftware = 500 * units.Nanosecond

// plainSend is a message as one WRITE: no kernel is launched, and the library's time is added once.
func (p *Planner) plainSend(k planKey) (*CollectivePlan, error) {
	prog, err := collective.New(collective.Spec{Op: k.do, Algo: collective.Direct, Layout: k.layout, Bytes: k.bytes, Channels: 1, Chunk: k.bytes, Slices: 1, Root: k.root})
	if err != nil {
		return nil, err
	}
	over := nccl.Overheads{Fraction: 1}
	if p.sender == workload.MPI {
		over.PerStepIntra, over.PerStepInter = mpiSoftware, mpiSoftware
	}
	plan := &CollectivePlan{
		chosen: chosen{prog, nccl.Choice{Algo: nccl.Direct, Proto: nccl.Simple, Channels: 1}, over, kernelOf(&over, collective.Direct, 1), collective.Direct, 1},
		Limits: hostLimitsOf(&over, 0, p.node.GPUs),
	}
	plan.Limits.passed = p.passed
	if p.sender == workload.GPU {
		plan.Limits.unlimited, plan.Limits.proxy, plan.Limits.threads = true, p.proxy, p.threads
		plan.unicast = dataRate(cmp.Or(gbps(p.copies), p.cluster.NVLinkGBps*p.factors.Kernel.Float()), 1)
	}
	return plan, nil
}

// list is the planned collectives, in the order of first use.
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
