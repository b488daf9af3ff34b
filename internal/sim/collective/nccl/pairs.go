package nccl

import (
	"math"
	"math/bits"

	"weft/internal/sim/collective"
)

// grouped reports whether an operation consists of sends and receives, for which NCCL has no choice
// of algorithm.
func grouped(op collective.Op) bool {
	return sharded(op) || op == collective.SendRecv || op == collective.Send
}

// sharded reports whether every pair of a grouped operation has a part of the size.
func sharded(op collective.Op) bool {
	return op == collective.AllToAll || op == collective.Scatter || op == collective.Gather
}

// direct is NCCL's way to send point to point (scheduleP2pTasksToPlan and addP2pToPlan in
// src/enqueue.cc): LL for small messages, else Simple, unless Only leaves one of them. A pair starts
// with as many channels as all ranks can have beside each other, but none gets less than a part of
// a step; it has twice as many until none gets more than a step between nodes, or 32 inside a node.
// From 2.22 to 2.28 the protocol comes first, and LL has steps of its own.
func (c Cluster) direct(op collective.Op, bytes int64) (Choice, error) {
	if err := c.check(); err != nil {
		return Choice{}, err
	}
	ch := Choice{Cluster: c, Op: op, Bytes: bytes, Algo: Direct, Proto: Simple}
	each := ch.pairBytes()
	step := int64(collective.SlotBytes)
	if c.Nodes > 1 {
		step = c.netChunk()
	}
	ch.Channels = c.pairChannels(each, step)
	first := c.Release.since(22) && !c.Release.since(29)
	small := int64(ch.Channels)
	if first {
		small = int64(c.p2pChannels())
	}
	if c.GPU == CDNA3 {
		small = 1
	}
	if each <= small*p2pLLThreshold && c.allows(Direct, LL) || !c.allows(Direct, Simple) {
		ch.Proto = LL
	}
	if !c.allows(Direct, ch.Proto) {
		return Choice{}, c.none(op, bytes)
	}
	if first && ch.Proto == LL {
		ch.Channels = c.pairChannels(each, 2*llSlot)
	}
	return ch, nil
}

// pairChunk is the chunk of a send in bytes of data. To another node a message of less than a step goes
// in quarters of one, with LL in halves as all messages of less than eight steps (addP2pToPlan).
func (ch Choice) pairChunk() int64 {
	c := ch.Cluster
	if ch.Chunk > 0 {
		return ch.Chunk
	}
	step, flags := c.slot(), int64(1) // times as long as its data
	if c.Nodes > 1 {
		step = c.netChunk()
	}
	if ch.Proto == LL {
		step, flags = 2*llSlot, 2
	}
	switch each := ch.pairBytes(); {
	case c.Nodes == 1:
	case ch.Proto == Simple && each < step:
		step /= 4
	case each < 8*step:
		step /= 2
	}
	return step / flags
}

// pairBytes is the message of a pair.
func (ch Choice) pairBytes() int64 {
	if sharded(ch.Op) {
		return ch.Bytes / int64(ch.Cluster.Ranks())
	}
	return ch.Bytes
}

// pairChannels is the number of channels of a pair for a message and a step of a protocol.
func (c Cluster) pairChannels(each, step int64) int {
	most := c.p2pChannels()
	n := most
	for n*c.Ranks() > c.p2pTotal() && n > 1 {
		n /= 2
	}
	least, part := step/8, 32*step
	if c.Nodes > 1 {
		least, part = step/2, step
	}
	n = int(max(1, min(int64(n), (each+least-1)/least)))
	if c.GPU == CDNA3 && c.Nodes == 1 {
		n = rcclPairChannels
	}
	for n*2 <= most && each > int64(n)*part {
		n *= 2
	}
	return n
}

// p2pTotal is the number of channels that all pairs of a GPU share (comm->p2pnChannels).
func (c Cluster) p2pTotal() int { return ceilPower2(min(c.Channels(), c.tuning().channels)) }

// p2pChannels is the maximum number of channels of a pair, a power of two: the least over all pairs
// of the cluster (ncclTopoGetNchannels, ncclTopoComputeP2pChannels in src/graph/paths.cc). Inside a
// node it is two for every link of the path, over PCIe two. Between nodes it is one for every NIC
// of the GPU and for each 14 GB/s of them; before 2.29 it is one for every NIC, and two as long as
// eight operations do not share a channel.
func (c Cluster) p2pChannels() int {
	n, total := 2, c.p2pTotal()
	switch {
	case c.GPU == CDNA3 && c.Nodes == 1:
		return c.tuning().channels
	case c.PerNode == 1:
		n = c.tuning().channels // no pair is inside a node
	case c.intra() == linkNVLink:
		n = int(2*c.NVLinkGBps/c.tuning().nvLink[c.GPU] + .5)
	}
	if c.Nodes == 1 {
		return min(ceilPower2(n), total)
	}
	nics := max(1, c.NICs/c.PerNode)
	if !c.Release.since(29) {
		two := 2
		if two*c.Ranks() > 4*total {
			two = 1
		}
		return min(ceilPower2(min(n, max(nics, two))), total)
	}
	n = ceilPower2(min(n, max(nics, int(math.Ceil(float64(nics)*c.NICGBps/p2pNetGBps)))))
	for n*((c.Ranks()+7)/8) > total && n > 1 {
		n /= 2
	}
	return n
}

// ceilPower2 is the least power of two that is not below n.
func ceilPower2(n int) int { return 1 << bits.Len(uint(max(n, 1)-1)) }
