package credit

import "weft/units"

const (
	// Block is the unit of credits in bytes (IBA vol. 1, 7.9).
	Block = 64
	// MaxLanes bounds the virtual lanes of a link: InfiniBand has 15 data lanes.
	MaxLanes = 16
	// MaxBlocks is the maximum that FCCL can grant on a lane: FCCL is compared modulo 4096, so half of
	// that can be outstanding (IBA vol. 1, 7.9.4.3).
	MaxBlocks = 2048
	// MaxPeriod bounds the time between credit updates, in picoseconds: 2.1 ms, a hundred times the
	// maximum in IBA (65,536 symbol times, vol. 1, 7.9.4.1). It has 32 bits.
	MaxPeriod = 1<<31 - 1
	// MaxGrant bounds the blocks of a lane: they have 24 bits in an update.
	MaxGrant = 1<<updateBlocks - 1
)

// Grant is how a receiver of InfiniBand (or of the scale-up network) grants the room in its
// input buffer to the sender.
//
// A packet takes one credit for each 64 bytes or part of it. The room is free again when the
// packet's tail has left. The receiver says so in a flow-control packet, at once or Period after the
// lane's flow-control packet before; the grant reaches the sender after Latency on top of
// propagation. Flow-control packets go before data packets and take FrameBytes of the wire; in the
// model they need not wait for the end of the packet on the wire.
type Grant struct {
	// Blocks is the input buffer in blocks of 64 bytes, by lane.
	Blocks [MaxLanes]int32
	// Period is the shortest time between two flow-control packets of a lane.
	Period units.Time
	// Latency is the time from the decision to send an update to the first use of the credits,
	// without propagation: serialisation and the link layers at both ends.
	Latency units.Time
	// FrameBytes is the size of a flow-control packet on the wire.
	FrameBytes uint16
}

// Blocks is the number of blocks that a packet takes.
func Blocks(size uint16) int32 { return int32((uint32(size) + Block - 1) / Block) }
