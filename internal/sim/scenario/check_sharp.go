package scenario

import (
	"slices"
	"strings"
)

// checkSHARP checks a fabric with reducing switches.
func (r subnetRules) checkSHARP() {
	at := "ib.sharp"
	switch {
	case !r.IB.SHARP:
		return
	case r.Switch.StreamingAggregation == "" || r.Switch.StreamingAggregation == NoAggregation:
		r.complain(at, "the switch %s has no streaming aggregation: take one that has, or state switch.streaming-aggregation", r.Switch.Model)
	case r.IB.Queueing == FIFO:
		r.complain(at, "switches with fifo inputs do not reduce: want ib.queueing voq")
	}
	if len(r.Faults) > 0 {
		r.complain(at, "weft does not mend a reduction's trees: faults and ib.sharp exclude each other")
	}
}

// checkReduction checks an algorithm that needs a reducing fabric; other algorithms depend on the
// collective alone.
func (r workloadRules) checkReduction(a Algorithm, others []Algorithm) {
	nodes := r.Cluster.Nodes
	switch {
	case a.BetweenNodes() && nodes == 1 && a != AlgoNVLS:
		r.complain("workload.algorithm", "%s reduces between nodes: the cluster has one", a)
	case a.BetweenNodes() && nodes > 1 && r.Workload.Collective != AllReduce && r.Cluster.Node.NICs < r.Cluster.Node.GPUs:
		r.complain("workload.algorithm", "%s by %s between nodes needs a NIC for each GPU, in NCCL too: the nodes have %d GPUs and %d NICs", r.Workload.Collective, a, r.Cluster.Node.GPUs, r.Cluster.Node.NICs)
	case a.BetweenNodes() && nodes > 1:
		var without []string
		for i := range r.Fabrics {
			if f := &r.Fabrics[i]; !f.IB.SHARP {
				without = append(without, f.Name)
			}
		}
		if len(without) == len(r.Fabrics) { // the other fabrics run and report this themselves
			r.complain("workload.algorithm", "%s between %d nodes needs a fabric that reduces (ib.sharp), which %s does not: take %s", a, nodes, strings.Join(without, ", "), oneOf(texts(slices.DeleteFunc(slices.Clone(others), Algorithm.BetweenNodes))))
		}
	}
}
