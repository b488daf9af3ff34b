package executor

import (
	"weft/internal/sim/collective"
	"weft/internal/sim/run/host"
	"weft/internal/sim/run/jitter"
	"weft/internal/sim/scenario"
)

// LayoutOf is the rank layout of the cluster.
func LayoutOf(c *scenario.Cluster) collective.Layout {
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

// newCollectives runs collectives on a scenario's cluster, at most the given number at the same
// time.
func newCollectives(r *scenario.Resolved, f *scenario.Fabric, most int) collectives {
	hosts := make([]rankHost, r.Cluster.Ranks())
	for i := range hosts {
		hosts[i].cores = host.CoresOf(f, &r.Cluster.Node)
	}
	return collectives{
		carrier: carrier{
			Path: host.PathOf(f, &r.Cluster.Node), Jitter: jitter.Of(&r.Run, f, r.Cluster.Ranks()),
			divides: true, links: make(map[Pair]*connections), copies: make(map[uint32]*copied), hosts: hosts, ends: make([][]endpoint, r.Cluster.Endpoints()),
		},
		cluster: LayoutOf(&r.Cluster), register: newRegister(most),
	}
}
