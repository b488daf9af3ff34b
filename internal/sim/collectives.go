package sim

import (
	"weft/internal/collective"
	"weft/scenario"
)

// layoutOf is the cluster as collectives see it.
func layoutOf(c *scenario.Cluster) collective.Layout {
	return collective.Layout{Nodes: c.Nodes, PerNode: c.Node.GPUs, NICs: c.Node.NICs}
}

// everybody is all ranks, in order.
func everybody(n int) []int32 {
	all := make([]int32, n)
	for i := range all {
		all[i] = int32(i)
	}
	return all
}

// newCollectives is who carries out collectives on a cluster of a scenario.
func newCollectives(r *scenario.Resolved, f *scenario.Fabric) collectives {
	return collectives{
		carrier: carrier{
			path: pathOf(f, &r.Cluster.Node), jitter: jitterOf(&r.Run, f, r.Cluster.Ranks()), flows: newFlowTimes(),
			links: make(map[pair]*connections), hosts: make([]rankHost, r.Cluster.Ranks()), ends: make([][]endpoint, r.Cluster.Endpoints()),
		},
		cluster: layoutOf(&r.Cluster), unused: -1,
	}
}
