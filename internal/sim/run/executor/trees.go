package executor

import (
	"fmt"
	"slices"

	"weft/internal/sim/collective"
	"weft/internal/sim/run/network"
	"weft/internal/sim/workload"
	"weft/scenario"
)

// allocateTrees makes the trees of a group of ranks; nil for a group inside a node, or if switches
// do not reduce.
func allocateTrees(p *network.Plan, cluster collective.Layout, members []int32) *network.GroupTrees {
	if p.Aggregation == nil {
		return nil
	}
	c := NewCommunicator(0, cluster, members)
	if c.layout.Nodes < 2 {
		return nil
	}
	return p.Aggregation.Allocate(members, c.layout.Rails(), c.nics)
}

// FindTrees gives a communicator the trees of its ranks, if any.
func (c *Communicator) FindTrees(p *network.Plan) { c.trees = p.Aggregation.Of(c.Members) }

// Joint is the entry of a reducing or copying edge into the network: the NIC, and the number of its
// rail's tree at the first port. first is true for one edge of each tree, from the group's first
// node.
func (c *Communicator) Joint(w *Edge) (nic, tree int32, first bool) {
	rail := int(w.rail) - 1
	return c.nic(int(w.From), rail), c.trees.Tree(rail, 0), c.layout.Node(int(w.From)) == 0
}

// Place is the index of a NIC in the group.
func (c *Communicator) Place(nic int32) int { return slices.Index(c.nics, nic) }

// AllocateForAll makes the trees of all ranks, for a workload of one collective. It is an error if
// the algorithm needs trees and there are none.
func AllocateForAll(p *network.Plan, r *scenario.Resolved) error {
	op, known := operations[r.Workload.Collective]
	job := r.Job()
	if !known || !reducible(op) || job.Nodes < 2 {
		return nil
	}
	g, forced := allocateTrees(p, LayoutOf(&r.Cluster, p.Fabric), everybody(job.Ranks())), r.Workload.Algorithm
	switch {
	case !forced.BetweenNodes():
		return nil
	case g == nil:
		return fmt.Errorf("fabric %s: %s between nodes needs switches that reduce (ib.sharp): leave the fabric out, or take another algorithm", p.Fabric.Name, forced)
	case g.Reason != nil:
		return fmt.Errorf("fabric %s: %s needs trees in the switches, and there are none: %w; cable the fabric by rails (topology.shape rail-optimised), or leave the algorithm to NCCL", p.Fabric.Name, forced, g.Reason)
	}
	return nil
}

// reducible reports whether NCCL has CollNet for an operation (src/graph/tuning.cc).
func reducible(op collective.Op) bool {
	return op == collective.AllReduce || op == collective.AllGather || op == collective.ReduceScatter
}

// AllocateForPhases makes the trees of the groups of a workload's phases. Groups that reduce
// gradients come first, as in Megatron-LM (--use-sharp gives SHARP only to the data-parallel
// groups): a NIC in several groups serves only one.
func AllocateForPhases(p *network.Plan, cluster collective.Layout, phases []workload.Phase) {
	for _, data := range []bool{true, false} {
		for i := range phases {
			phase := &phases[i]
			if phase.Kind != workload.Collective || !reducible(phase.Do) || (phase.Purpose == workload.Data) != data {
				continue
			}
			for _, members := range phase.Groups {
				allocateTrees(p, cluster, members)
			}
		}
	}
}

// AllocateForGraph makes the trees of the groups of a graph, in the order of their numbers.
func AllocateForGraph(p *network.Plan, cluster collective.Layout, g *workload.Graph) {
	asks := make([]bool, len(g.Groups))
	for _, ops := range g.Ranks {
		for i := range ops {
			if o := &ops[i]; o.Kind == workload.Collective && reducible(o.Do) {
				asks[o.Group] = true
			}
		}
	}
	for i := range g.Groups {
		if asks[i] {
			allocateTrees(p, cluster, g.Groups[i].Ranks)
		}
	}
}
