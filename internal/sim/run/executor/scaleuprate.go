package executor

import (
	"weft/internal/sim/collective"
	"weft/internal/sim/collective/nccl"
	"weft/internal/sim/run/network"
	"weft/scenario"
	"weft/units"
)

// scaleUpRate is the rate of a GPU's port into the scale-up network, as a collective's kernel
// drives it.
//
// The links' own rate is the upper bound. Kernels that store to a peer's memory reach less than a
// link's signalling rate: NCCL's figure is 20.6 of 25 GB/s on Hopper (src/graph/topo.h), and weft
// uses it. With reductions in the switch the port runs at the links' rate, and nccl.Overheads
// bounds the kernel. Nothing here is fitted to a measurement.
func scaleUpRate(r *scenario.Resolved, c *chosen) units.PerByte {
	s := &r.Cluster.Node.ScaleUp
	link := scaleUpLinks(&r.Cluster.Node, c.choice.Op)
	reckoned := c.choice.Cluster.NVLinkGBps * 8e9 * r.NCCL.Kernel.Float()
	if inSwitch := c.choice.Algo == nccl.NVLS || c.choice.Algo == nccl.NVLSTree; inSwitch || reckoned == 0 {
		return network.Rounded(link)
	}
	// The figure is for payload; the port carries the packets' overhead as well.
	return network.Rounded(min(link, reckoned*float64(s.Packet+s.Overhead)/float64(max(1, s.Packet))))
}

// linkRate is the rate of a GPU's port for collectives of several kinds: the links' own. The
// kernel's rate bounds each message.
func linkRate(n *scenario.Node) units.PerByte {
	return network.Rounded(scaleUpLinks(n, collective.AllReduce))
}

// ScaleUpOf is a node's scale-up network for a network with launchers.
func ScaleUpOf(n *scenario.Node) network.ScaleUp { return network.ScaleUp{Node: n, Rate: linkRate(n)} }

// scaleUpLinks is the total rate of the links that a GPU uses in an operation among all GPUs of its
// node, in bit/s. Without a scale-up network GPUs reach each other over PCIe.
func scaleUpLinks(n *scenario.Node, op collective.Op) float64 {
	if s := &n.ScaleUp; s.Rate() > 0 {
		return float64(s.LinkRate) * float64(s.LinksTo(others(n.GPUs, op)))
	}
	return float64(n.PCIe.PeerRate)
}

// dataRate is the time of a byte on the wire at a rate of data in GB/s, given the ratio of bytes on
// the wire to data; zero means no bound.
func dataRate(gbps, fraction float64) units.PerByte {
	if gbps <= 0 {
		return units.PerByte{}
	}
	return network.Rounded(gbps / fraction * 8e9)
}
