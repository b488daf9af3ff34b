package sim

import (
	"context"
	"slices"

	"weft/internal/collective"
	"weft/internal/workload"
	"weft/scenario"
	"weft/units"
)

// phaseRun is a phase of a workload that was carried out by itself, all its groups at
// once.
type phaseRun struct {
	took   []units.Time // by rank of the cluster; -1 of ranks that take no part
	groups int          // that were simulated
	share  float64      // of their bytes that was simulated; the rest is foreseen
	*Execution
}

// runPhase carries out a phase.
//
// Where all groups stay inside nodes, and all nodes that have some have the same, one
// node stands for all: the nodes are alike and share no link in it.
func (p *plan) runPhase(ctx context.Context, r *scenario.Resolved, phase *workload.Phase) (*phaseRun, error) {
	cluster := layoutOf(&r.Cluster)
	own, folded := insideNodes(cluster, phase)
	var f forwarder
	x, err := p.forwarded(ctx, r, own.Graph(cluster.Ranks()), &f)
	if err != nil {
		return nil, err
	}
	run := &phaseRun{took: make([]units.Time, cluster.Ranks()), groups: len(own.Groups), share: f.share(), Execution: x}
	for i := range run.took {
		run.took[i] = -1
	}
	times := own.Times(x.Timeline)
	first := 0
	if folded {
		first = cluster.Node(int(own.Groups[0][0])) * cluster.PerNode
	}
	for _, g := range phase.Groups {
		for _, rank := range g {
			at := int(rank)
			if folded {
				at = first + cluster.Local(at)
			}
			run.took[rank] = times[at]
		}
	}
	return run, nil
}

// insideNodes is the part of a phase in the first node that has some of it, and true,
// if it stays inside nodes and is the same in each; otherwise the phase itself.
func insideNodes(cluster collective.Layout, phase *workload.Phase) (*workload.Phase, bool) {
	byNode := make(map[int]*workload.Phase)
	var order []int
	for i, g := range phase.Groups {
		node := cluster.Node(int(g[0]))
		if slices.ContainsFunc(g, func(r int32) bool { return cluster.Node(int(r)) != node }) {
			return phase, false
		}
		if byNode[node] == nil {
			own := *phase
			own.Groups, own.Bytes = nil, nil
			byNode[node] = &own
			order = append(order, node)
		}
		byNode[node].Groups = append(byNode[node].Groups, g)
		byNode[node].Bytes = append(byNode[node].Bytes, phase.Bytes[i])
	}
	first := byNode[order[0]]
	for _, node := range order[1:] {
		if !sameInside(cluster, first, byNode[node]) {
			return phase, false
		}
	}
	return first, len(order) > 1
}

// sameInside reports whether two nodes do the same.
func sameInside(cluster collective.Layout, a, b *workload.Phase) bool {
	return slices.Equal(a.Bytes, b.Bytes) && slices.EqualFunc(a.Groups, b.Groups, func(g, h []int32) bool {
		return slices.EqualFunc(g, h, func(x, y int32) bool { return cluster.Local(int(x)) == cluster.Local(int(y)) })
	})
}
