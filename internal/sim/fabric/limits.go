package fabric

import "weft/internal/sim/fabric/credit"

// The bounds of a network.
const (
	// MaxPacketBytes bounds one packet or scale-up burst on the wire; sizes have 16 bits.
	MaxPacketBytes = 1<<16 - 1
	// MaxClasses bounds the virtual lanes or priorities in use: 802.1Qbb has 8
	// priorities, InfiniBand 15 data lanes.
	MaxClasses = credit.MaxLanes
	// MaxRadix bounds the ports of a switch: twice the largest on the market.
	MaxRadix = 1024
	// MaxDelay bounds a link's propagation and its receiver's pipeline, in picoseconds: 4.29 ms, or
	// 850 km of fibre. It has 32 bits.
	MaxDelay = 1<<32 - 1
	// MaxPacketsInFlight bounds the packets of one simulation partition, so that a run with
	// unbounded growth ends with a message before the machine's memory is exhausted: 2^26 packets
	// take 6.5 GB.
	MaxPacketsInFlight = 1 << packetBits
	// MaxPartitions bounds the number of simulation partitions: a partition has a mailbox for every
	// other, and its number has 8 bits.
	MaxPartitions = 128
)
