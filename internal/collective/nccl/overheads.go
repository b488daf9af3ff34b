package nccl

import (
	"weft/internal/collective"
	"weft/units"
)

// Overheads is what a choice costs beside the wire, for a simulator that
// carries the bytes itself.
//
// NCCL's hwLatencies were fitted to whole collectives, so a step's value holds
// the GPU's part (store, fence, poll; between nodes also the CPU's proxy
// thread and the flush) and the wire's latency. The split proposed here is
//
//	software = table value − latency of an uncontended minimal packet on the
//	           hardware that NCCL's constants describe, never negative
//
// which keeps the sum as published on that hardware and lets a slower wire show
// as such. A step's software time is a delay and no occupancy: add it when the
// last message of the step has arrived, before the next step is entered:
// PerStepInter if any message of the step came through a NIC, else PerStepIntra
// if any came at all. Steps without receives cost nothing. Base is added once
// per operation. Each transfer of b bytes is Proto.WireBytes(b) on the wire.
type Overheads struct {
	Base         units.Time // once: launch, first and last copies
	PerStepIntra units.Time // software of a step inside the node
	PerStepInter units.Time // software of a step between nodes
	TableIntra   units.Time // NCCL's own value, the wire included
	TableInter   units.Time
	// Proxy is the CPU's time to post one message between nodes; the proxy
	// thread of a GPU posts one after the other. It is part of PerStepInter
	// and matters by itself only where messages are many and small.
	Proxy units.Time
	// Fraction is how much of the wire's bytes is data.
	Fraction float64
	// CeilingGBps is what the GPUs' side lets through of bus bandwidth (the
	// algorithm's and the protocol's own ceilings, links and NICs aside); 0 is
	// no ceiling.
	CeilingGBps float64
}

// Wire is the one-way latency of a minimal packet on an idle network, from GPU
// memory to GPU memory.
type Wire struct{ NVLink, PCI, Net units.Time }

// ReferenceWire is the hardware that NCCL's constants are taken to describe.
//
// Net is the smallest of the latencies that Azure's clusterkit example shows
// between HDR hosts (1.429 µs; github.com/Azure/azurehpc
// apps/health_checks/readme.md). For NVLink and PCIe no measurement was found
// that could be cited: half a microsecond for a store through an NVSwitch and
// 0.7 µs for one through a PCIe switch are estimates, bounded from above by
// NCCL's own 0.6 and 1.0 µs for a whole LL step.
var ReferenceWire = Wire{
	NVLink: 500 * units.Nanosecond,
	PCI:    700 * units.Nanosecond,
	Net:    1429 * units.Nanosecond,
}

// nvlsSteps is in how many steps a program with in-switch reduction pays the
// 25 µs inside the node: the reduction and the multicast.
const nvlsSteps = 2

// Overheads is what the choice costs beside the wire. Algorithms that NCCL does
// not have cost what a ring does.
func (ch Choice) Overheads(wire Wire) Overheads {
	a := ch.Algo
	if a == Direct {
		a = Ring
	}
	c := ch.Cluster
	intra, inter := c.steps(a, ch.Proto)
	if a == NVLS || a == NVLSTree {
		intra /= nvlsSteps
	}
	o := Overheads{
		Base:        micros(baseLatencies[a][ch.Proto]),
		TableIntra:  micros(intra),
		TableInter:  micros(inter),
		Proxy:       micros(c.proxyUs(ch.Proto)),
		Fraction:    ch.Proto.Fraction(),
		CeilingGBps: c.ceiling(ch.Op, a, ch.Proto),
	}
	local := wire.NVLink
	if c.intra() == linkPCI {
		local = wire.PCI
	}
	o.PerStepIntra = max(o.TableIntra-local, 0)
	o.PerStepInter = max(o.TableInter-wire.Net, 0)
	return o
}

// ceiling is the bus bandwidth that the GPUs' side allows, 0 for any.
func (c Cluster) ceiling(op collective.Op, a Algo, p Proto) float64 {
	channels, scale := float64(c.RingGraph().Channels), c.scale()
	switch {
	case a == NVLS, a == NVLSTree:
		g := c.NVLSGraph()
		n := float64(g.Channels)
		all := n * g.IntraGBps * nvlsEfficiency[c.GPU] * (n - 1) / n
		if op == collective.AllReduce {
			all *= 2
		}
		if a == NVLSTree {
			all = min(all, n*perChMaxNVLSTreeBws[c.GPU][scale])
		}
		return all
	case p == LL:
		return c.llMax()
	case a == Ring && p == LL128:
		return channels * perChMaxRingLL128Bws[c.GPU][scale]
	case a == Tree && p == LL128:
		return channels * perChMaxTreeLL128Bws[c.GPU][scale]
	case a == Tree:
		return channels * perChMaxTreeBws[c.GPU][scale]
	default:
		return 0
	}
}
