package nccl

import (
	"weft/internal/sim/collective"
	"weft/units"
)

// Overheads are the costs of a choice in addition to the wire, for a simulator that carries the
// bytes itself.
//
// A channel of a GPU is a thread block, which is a serial server: each of its turns takes Turn. A
// message is seen PerStepIntra after its arrival, or PerStepInter if it is from another node; these
// are delays and occupy nothing, so the delays of several messages overlap. Base is added once per
// operation. Each transfer of b bytes is Proto.WireBytes(b) on the wire.
//
// The times are measured where there are measurements of the generation (measured.go). Otherwise
// they are NCCL's own constants: its hwLatencies were fitted to whole collectives, so a step's
// value holds the GPU's part (store, fence, poll; between nodes also the CPU's proxy thread and the
// flush) and the wire's latency. The split proposed here is
//
//	software = table value − latency of an uncontended minimal packet on the
//	           hardware that NCCL's constants describe, never negative
//
// which keeps the published sum on that hardware and shows the effect of a slower wire. A turn then
// has no fixed time.
//
// SwitchGBps and HostGBps bound the rate in addition to the wires, in GB/s of data; 0 is no bound.
type Overheads struct {
	Base         units.Time // once: launch, first and last copies
	PerStepIntra units.Time // software of a step inside the node
	PerStepInter units.Time // software of a step between nodes
	TableIntra   units.Time // NCCL's own value, with the wire
	TableInter   units.Time
	// Proxy is the time of a rank's proxy thread for a message between nodes, at each end: half of
	// NCCL's netOverhead on Intel, by assumption. NCCL has twice that on AMD for its choice; all-gathers of
	// small messages by LL128 take longer than by LL by 42 us on hosts of AMD (table T1-default) and by 41
	// us on hosts of Intel (table G3), on two nodes of B200, so the thread is not slower on AMD. It
	// occupies the thread, and is part of PerStepInter: a message waits only for others before it.
	// Tests is true if the kernel waits for the receiver's thread, as with Simple.
	Proxy units.Time
	Tests bool
	// SliceSteps is the number of slots of a connection that a message takes, of NCCL_STEPS.
	SliceSteps int
	// Fraction is the share of data in the bytes on the wire.
	Fraction float64
	Turn     Turn // of the thread block of a running channel
	// SwitchGBps is the total rate at which the kernel of a GPU sends, with reductions in the
	// switch.
	SwitchGBps float64
	// HostGBps is the total rate at which a node sends to others.
	HostGBps float64
}

// proxyTime is Overheads.Proxy.
const proxyTime = 500 * units.Nanosecond

// Wire is the one-way latency of a minimal packet on an idle network, from GPU
// memory to GPU memory.
type Wire struct{ NVLink, PCI, Net units.Time }

// ReferenceWire is the hardware that NCCL's constants describe, by assumption.
//
// Net is the smallest of the latencies that Azure's clusterkit example shows between HDR hosts
// (1.429 µs; github.com/Azure/azurehpc apps/health_checks/readme.md). No citable measurement for
// NVLink and PCIe was found: 0.3 and 0.6 µs are the latencies that the catalog assumes for the same
// hardware, bounded from above by NCCL's own 0.6 and 1.0 µs for a whole LL step. They must agree
// with the catalog, or a step on that hardware would not take NCCL's time; a test of internal/sim
// checks it.
var ReferenceWire = Wire{
	NVLink: 300 * units.Nanosecond,
	PCI:    600 * units.Nanosecond,
	Net:    1429 * units.Nanosecond,
}

// localSteps is the number of steps over which a program with reducing switches spreads NCCL's time
// inside the node: two for an all-reduce, which goes in and out, one for the others.
func localSteps(op collective.Op) float64 {
	if op == collective.AllReduce {
		return 2
	}
	return 1
}

// Overheads are the costs of the choice in addition to the wire. Algorithms that NCCL does not have
// cost as much as a ring.
func (ch Choice) Overheads(wire Wire) Overheads {
	a := ch.Algo
	if a == Direct {
		a = Ring
	}
	c := ch.Cluster
	intra, inter := c.steps(a, ch.Proto)
	switch a {
	case NVLS, NVLSTree:
		intra /= localSteps(ch.Op)
	case CollNetDirect:
		intra = c.collNetLocalUs(intra) / localSteps(ch.Op)
	}
	channel := c.kernelGBps(a, ch.Proto) / float64(c.Channels())
	o := Overheads{
		Base:       micros(c.tuning().base[a][ch.Proto]),
		TableIntra: micros(intra),
		TableInter: micros(inter),
		Proxy:      proxyTime,
		Tests:      ch.Proto == Simple,
		SliceSteps: ch.sliceSteps(),
		Fraction:   ch.Proto.fraction(),
		Turn:       Turn{SendGBps: channel, CopyGBps: channel, Streams: true},
		SwitchGBps: c.switchGBps(ch.Op, a),
		HostGBps:   c.hostGBps(ch.Proto),
	}
	local := wire.NVLink
	if c.intra() == linkPCI {
		local = wire.PCI
	}
	o.PerStepIntra = max(o.TableIntra-local, 0)
	o.PerStepInter = max(o.TableInter-wire.Net, 0)
	ch.measured(&o)
	if c.Nodes > 1 && c.Plugin.MessageUs > 0 {
		o.PerStepInter = micros(c.Plugin.softwareUs(ch.Proto))
	}
	if c.GPU == CDNA3 && !c.Reckoned {
		ch.rccl(&o)
	}
	return o
}

// sliceSteps is the number of slots of a message (ALLREDUCE_SLICESTEPS and its like in
// src/include/collectives.h; 1 for all that is no ring with Simple).
func (ch Choice) sliceSteps() int {
	if ch.Algo == Ring && ch.Proto == Simple && ch.Op != collective.Broadcast {
		return collective.RingChunk / collective.RingSlices / collective.SlotBytes
	}
	return 1
}

// kernelGBps is the total rate at which the kernels of all channels of a GPU send, 0 for no bound:
// the ceilings of ncclTopoTuneModel that stem neither from the links nor from the NICs, with all
// channels running. For LL it is the ceiling of one node, by GPU; between nodes its bound is
// hostGBps. NCCL has no ceiling for a ring with Simple.
func (c Cluster) kernelGBps(a Algo, p Proto) float64 {
	channels, scale := float64(c.ringGraph().Channels), c.scale()
	pattern := 1.
	if a == Tree && c.treePattern() {
		pattern = treePattern
	}
	switch {
	case a != Ring && a != Tree || c.GPU == CDNA3:
		return 0
	case p == LL:
		return c.tuning().llMax[c.GPU][0]
	case a == Ring && p == LL128:
		return channels * c.tuning().ringLL128[c.GPU][scale]
	case p == LL128:
		return channels * c.tuning().treeLL128[c.GPU][scale] * pattern
	case a == Tree:
		return channels * c.tuning().tree[c.GPU][scale] * pattern
	default:
		return 0
	}
}

// hostGBps is LL's ceiling between nodes, 0 for the other protocols. NCCL keeps LL's send buffers
// in host memory, with GPUDirect or without, because the CPU reads their flags (sendProxyConnect,
// src/transport/net.cc); so llMax depends on the CPU there, and is a node's ceiling.
func (c Cluster) hostGBps(p Proto) float64 {
	if p != LL || c.Nodes == 1 {
		return 0
	}
	return c.llMax()
}

// switchGBps is the rate at which a GPU's kernel sends with reductions in the switch, 0 with other
// algorithms: its share of the algorithm's bandwidth by nvlsEfficiency. It sends its contribution
// to each of the other parts in a reduction, its own part in a multicast, and both in an
// all-reduce.
func (c Cluster) switchGBps(op collective.Op, a Algo) float64 {
	if a != NVLS && a != NVLSTree {
		return 0
	}
	g := c.nvlsGraph()
	n, per := float64(g.Channels), float64(c.PerNode)
	bus := g.IntraGBps * nvlsEfficiency[c.GPU] * (n - 1) / n
	if op == collective.AllReduce {
		bus *= 2
		if a == NVLSTree {
			bus = min(bus, c.tuning().nvlsTree[c.GPU][c.scale()])
		}
		return n * bus / op.BusFactor(c.Ranks())
	}
	bus *= (per - 1) / per
	if op == collective.AllGather {
		return n * bus / per
	}
	return n * bus * (per - 1) / per
}
