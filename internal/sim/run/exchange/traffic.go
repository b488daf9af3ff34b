package exchange

import (
	"weft/internal/sim/scenario"
	"weft/internal/sim/workload"
)

// traffic is the tokens of an exchange with their ways.
type traffic struct {
	w        *scenario.Workload
	ranks    int
	perNode  int
	place    *placement
	counts   [][]int32 // by rank and copy: tokens
	postings map[workload.Posting]*workload.Posting
}

// trafficOf draws the tokens of a scenario.
func trafficOf(r *scenario.Resolved) *traffic {
	x, perNode := &r.Workload.Experts, r.Cluster.Node.GPUs
	weights := weightsOf(x)
	t := &traffic{w: &r.Workload, ranks: r.Cluster.Ranks(), perNode: perNode, postings: make(map[workload.Posting]*workload.Posting)}
	t.place = placementOf(x, weights, t.ranks, perNode)
	g := &gate{x: x, weights: weights, place: t.place, nodes: r.Cluster.Nodes}
	for rank := range t.ranks {
		counts := make([]int32, x.Copies())
		for _, c := range g.copies(r.Run.Seed, rank) {
			counts[c]++
		}
		t.counts = append(t.counts, counts)
	}
	return t
}

// graph is what the kernels send.
func (t *traffic) graph() *workload.Graph { return t.lowLatency() }
