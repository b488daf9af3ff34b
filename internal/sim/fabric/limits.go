package fabric

// The bounds of a network.
const (
	// MaxPacketBytes bounds one packet or scale-up burst on the wire; sizes have 16 bits.
	MaxPacketBytes = 1<<16 - 1
	// MaxClasses bounds the virtual lanes or priorities in use: 802.1Qbb has 8
	// priorities, InfiniBand 15 data lanes.
	MaxClasses = 16
	// MaxRadix bounds the ports of a switch: twice the largest on the market.
	MaxRadix = 1024
	// MaxCreditBlocks is the maximum that FCCL can grant on a lane: FCCL is compared modulo 4096,
	// so half of that can be outstanding (IBA vol. 1, 7.9.4.3).
	MaxCreditBlocks = 2048
	// MaxDelay bounds a link's propagation and its receiver's pipeline, in picoseconds: 4.29 ms, or
	// 850 km of fibre. It has 32 bits.
	MaxDelay = 1<<32 - 1
	// MaxCreditPeriod bounds the time between credit updates, in picoseconds: 2.1 ms, a hundred
	// times the maximum in IBA (65,536 symbol times, vol. 1, 7.9.4.1). It has 32 bits.
	MaxCreditPeriod = 1<<31 - 1
	// CreditBlock is the unit of credits in bytes (IBA vol. 1, 7.9).
	CreditBlock = 64
	// MaxPacketsInFlight bounds the packets of one simulation partition, so that a run with
	// unbounded growth ends with a message before the machine's memory is exhausted: 2^26 packets
	// take 6.5 GB.
	MaxPacketsInFlight = 1 << packetBits
	// MaxPartitions bounds the number of simulation partitions: a partition has a mailbox for every
	// other, and its number has 8 bits.
	MaxPartitions = 128
	// maxOffenders is the maximum number of senders that each port records: it counts the
	// packets of further senders without their names. A real port remembers one.
	maxOffenders = 64
)
