package executor

import (
	"weft/internal/sim/collective"
	"weft/internal/sim/run/host"
	"weft/internal/sim/run/jitter"
	"weft/scenario"
)

// LayoutOf is the rank layout of the cluster on a fabric.
func LayoutOf(c *scenario.Cluster, f *scenario.Fabric) collective.Layout {
	return collective.Layout{Nodes: c.Nodes, PerNode: c.Node.GPUs, NICs: c.Node.NICs, Stripe: stripeOf(c, f)}
}

// stripeOf is the number of NICs that NCCL has as one: the plug-in for EFA joins the NICs beside a
// GPU (nccl_ofi_topo_group in src/nccl_ofi_topo.cpp of aws-ofi-nccl).
func stripeOf(c *scenario.Cluster, f *scenario.Fabric) int {
	if n := &c.Node; f.Kind == efa && n.NICs > n.GPUs && n.NICs%n.GPUs == 0 {
		return n.NICs / n.GPUs
	}
	return 1
}

// efa is the kind of fabric that NCCL uses with a plug-in.
const efa scenario.FabricKind = "efa"

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
			divides: true, stripe: stripeOf(&r.Cluster, f), links: make(map[Pair]*connections), copies: make(map[uint32]*copied), hosts: hosts, ends: make([][]endpoint, r.Cluster.Endpoints()),
		},
		cluster: LayoutOf(&r.Cluster, f), register: newRegister(most),
	}
}
