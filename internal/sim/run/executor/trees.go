package executor

import (
	"fmt"
	"slices"

	"weft/internal/sim/collective"
	"weft/internal/sim/run/network"
	"weft/internal/sim/scenario"
	"weft/internal/sim/workload"
)

// plant makes the trees of a group of ranks; nil of one that asks for none, since it is
// inside a node or switches do not reduce.
func plant(p *network.Plan, cluster collective.Layout, members []int32) *network.Grove {
	if p.Forest == nil {
		return nil
	}
	c := NewCommunicator(0, cluster, members)
	if c.layout.Nodes < 2 {
		return nil
	}
	return p.Forest.Plant(members, c.layout.Rails(), c.nics)
}

// FindTrees gives a communicator the trees that were made for its ranks, if any.
func (c *Communicator) FindTrees(p *network.Plan) { c.trees = p.Forest.Of(c.Members) }

// Joint is where a leg that reduces or copies in the network enters it: the NIC, and the
// number of the tree that joins those of its rail, at their first port. Of each tree one
// leg is the first, that of the group's first node.
func (c *Communicator) Joint(w *Leg) (nic, tree int32, first bool) {
	rail := int(w.rail) - 1
	return c.nic(int(w.From), rail), c.trees.Tree(rail, 0), c.layout.Node(int(w.From)) == 0
}

// Place is a NIC's place among those of the group.
func (c *Communicator) Place(nic int32) int { return slices.Index(c.nics, nic) }

// PlantForAll makes the trees of all ranks, for a workload that is one collective. An
// algorithm that needs them is an error where there are none.
func PlantForAll(p *network.Plan, r *scenario.Resolved) error {
	op, known := operations[r.Workload.Collective]
	job := r.Job()
	if !known || !reducible(op) || job.Nodes < 2 {
		return nil
	}
	g, forced := plant(p, LayoutOf(&r.Cluster), everybody(job.Ranks())), r.Workload.Algorithm
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

// reducible reports whether a network that reduces can help an operation (src/graph/tuning.cc
// of NCCL has CollNet for these).
func reducible(op collective.Op) bool {
	return op == collective.AllReduce || op == collective.AllGather || op == collective.ReduceScatter
}

// PlantPhases makes the trees of the groups of a workload's phases. Those that reduce
// gradients come first, as Megatron-LM has them (--use-sharp gives SHARP to the
// data-parallel groups alone): NICs that are in several groups serve only one.
func PlantPhases(p *network.Plan, cluster collective.Layout, phases []workload.Phase) {
	for _, data := range []bool{true, false} {
		for i := range phases {
			phase := &phases[i]
			if phase.Kind != workload.Collective || !reducible(phase.Do) || (phase.Purpose == workload.Data) != data {
				continue
			}
			for _, members := range phase.Groups {
				plant(p, cluster, members)
			}
		}
	}
}

// PlantGraph makes the trees of the groups of a graph, in the order of their numbers.
func PlantGraph(p *network.Plan, cluster collective.Layout, g *workload.Graph) {
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
			plant(p, cluster, g.Groups[i].Ranks)
		}
	}
}
