package sim

import (
	"weft/internal/collective"
	"weft/internal/collective/nccl"
	"weft/scenario"
	"weft/units"
)

// scaleUpRate is the rate of a GPU's port into the scale-up network, as a
// collective's kernel drives it.
//
// The links' own rate is the upper bound. NCCL reckons with less per NVLink
// than the signalling rate, and with an efficiency for reductions in the switch
// (src/graph/topo.h and tuning.cc): what the GPU's kernel gets out of the link.
// Both are taken from NCCL, not fitted to any measurement here.
func scaleUpRate(r *scenario.Resolved, c *chosen) units.PerByte {
	s := &r.Cluster.Node.ScaleUp
	link := s.Rate()
	if link <= 0 {
		// Without a scale-up network GPUs still reach their own node's memory.
		link = r.Cluster.Node.PCIe.PeerRate
	}
	payload := float64(link)
	if n := c.choice.Cluster.NVLinkGBps; n > 0 {
		payload = min(payload, n*8e9)
	}
	if limit := kernelLimit(c); limit > 0 {
		payload = min(payload, limit*8e9)
	}
	// Trains carry the packets' overhead, so the port is faster by as much.
	withOverhead := payload * float64(s.Packet+s.Overhead) / float64(max(1, s.Packet))
	return rounded(min(withOverhead, float64(link)))
}

// rounded is the time of a byte at a rate in bits per second, to a ten
// thousandth of a picosecond.
func rounded(rate float64) units.PerByte {
	const parts = 10_000
	return units.PerByte{Num: int64(8e12*parts/rate + 0.5), Den: parts}
}

// kernelLimit is what each GPU sends into the scale-up network at the most, in
// GB/s of payload, under the ceiling on bus bandwidth of NCCL's cost model; 0 is
// no limit.
//
// With in-switch reduction a GPU sends as many bytes as the operation's size: its
// part of the reductions and one multicast. Bus bandwidth is 2(n-1)/n of size
// over time.
func kernelLimit(c *chosen) float64 {
	ceiling := c.overhead.CeilingGBps
	if ceiling <= 0 {
		return 0
	}
	switch c.choice.Algo {
	case nccl.NVLS, nccl.NVLSTree:
		factor := c.choice.Op.BusFactor(c.choice.Cluster.PerNode)
		if c.choice.Op != collective.AllReduce {
			factor = 1
		}
		return ceiling / factor
	}
	return 0
}
