package executor

import (
	"weft/internal/base/topology"
	"weft/internal/sim/collective"
	"weft/internal/sim/run/network"
	"weft/scenario"
)

// alikeRails is the number of rails if all do the same in a collective, as far as the scenario says; else
// 0. Each GPU has its own NIC, each NIC its own rail, and nothing tells one rail from another.
func alikeRails(j *network.Task, c *chosen) int {
	r, f, n := j.Scenario, j.Plan.Fabric, &j.Scenario.Cluster.Node
	t := &f.Topology
	if t.Shape != scenario.RailOptimised || t.Rails != n.NICs || n.NICs != n.GPUs || n.GPUs < 2 || f.NIC.Ports > 1 || f.NIC.Contexts > 0 ||
		r.Run.Jitter || len(f.SlowLinks) > 0 || r.Job().Nodes != r.Cluster.Nodes || network.Pooled(n) ||
		collective.OneRail(c.program) == nil || c.overhead.HostGBps > 0 {
		return 0
	}
	if c.algo == collective.Direct && !oneLeaf(j.Plan.Graph, n.NICs) {
		return 0 // a late message holds up others: where rails take other paths, one is a quarter away from all
	}
	return n.GPUs
}

// oneLeaf reports whether all NICs of the first rail have the same switch, so that rails share no switch and no
// packet has a choice of paths.
func oneLeaf(g *topology.Graph, rails int) bool {
	first, _, _ := g.Peer(topology.End{})
	for nic := 0; nic < g.Compute(); nic += rails {
		if leaf, _, ok := g.Peer(topology.End{Node: topology.NodeID(nic)}); !ok || leaf.Node != first.Node {
			return false
		}
	}
	return true
}

// onRail makes a run of all rails that of the GPU of one rail in each node, which stands for the others.
func (r *collectiveRun) onRail(j *network.Task, rail int) {
	gpus := j.Scenario.Cluster.Node.GPUs
	members := everybody(j.Scenario.Cluster.Nodes)
	for i := range members {
		members[i] = members[i]*int32(gpus) + int32(rail)
	}
	r.plan.program = collective.OneRail(r.plan.program)
	r.all = NewCommunicator(0, LayoutOf(&j.Scenario.Cluster, j.Plan.Fabric), members)
	r.all.gpus = gpus
	r.rails = gpus
}
