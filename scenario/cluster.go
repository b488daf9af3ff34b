package scenario

import (
	"math/bits"
)

// over reports a·b > limit without overflow.
func over(a, b, limit int) bool {
	hi, lo := bits.Mul64(uint64(a), uint64(b))
	return hi > 0 || lo > uint64(limit)
}

// Part is the cluster of a number of its GPUs: of whole nodes, or of an equal part of one.
func (c Cluster) Part(gpus int) Cluster {
	n := &c.Node
	if c.Nodes = gpus / max(1, n.GPUs); c.Nodes == 0 {
		c.Nodes, n.NICs, n.GPUs = 1, max(1, n.NICs*gpus/n.GPUs), gpus
	}
	return c
}

// maxEndpoints is the largest cluster that can be represented: ids are 32 bits wide, and memory
// runs out long before.
const maxEndpoints = 1 << 24

func (r clusterRules) check() bool {
	c := &r.Cluster
	if over(c.Nodes, c.Node.NICs, maxEndpoints) || over(c.Nodes, c.Node.GPUs, maxEndpoints) {
		r.complain("cluster.nodes", "%d nodes of %d GPUs and %d NICs are more than %d of either: take fewer", c.Nodes, c.Node.GPUs, c.Node.NICs, maxEndpoints)
		return false
	}
	if n := &c.Node; r.written["cluster.node.rails"] && n.Rails > 0 && n.NICs%n.Rails != 0 {
		r.complain("cluster.node.rails", "%d rails: a node has %d NICs, as many on each rail as on any other", n.Rails, n.NICs)
	}
	s := &c.Node.ScaleUp
	if c.Node.GPUs > 1 && s.Kind != ScaleUpNone && s.Rate() == 0 {
		r.complain("cluster.node.scale-up", "the scale-up network has no bandwidth: %d links of %s", s.Links, s.LinkRate.Exact())
	}
	if s.Kind == ScaleUpSwitch && s.Switches == 0 {
		r.complain("cluster.node.scale-up.switches", "a scale-up network of kind switch needs at least one switch")
	}
	if (s.Kind == ScaleUpPool) != (s.Devices > 0) {
		r.complain("cluster.node.scale-up.devices", "%d memory devices and a scale-up network of kind %s: a memory-pool has at least one, and no other kind has any", s.Devices, s.Kind)
	}
	if s.Multicast && s.Kind != ScaleUpSwitch {
		r.complain("cluster.node.scale-up.multicast", "only a scale-up network of kind switch can multicast: this one is of kind %s", s.Kind)
	}
	return true
}
