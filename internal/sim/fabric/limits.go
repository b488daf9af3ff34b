package fabric

// The bounds of what a network may hold.
const (
	// MaxPacketBytes bounds one packet or scale-up train on the wire; sizes
	// are held in 16 bits.
	MaxPacketBytes = 1<<16 - 1
	// MaxClasses bounds the virtual lanes or priorities in use: 802.1Qbb has 8
	// priorities, InfiniBand 15 data lanes.
	MaxClasses = 16
	// MaxRadix bounds the ports of a switch: twice the largest that is sold.
	MaxRadix = 1024
	// MaxCreditBlocks is the most that FCCL can grant on a lane: it is compared
	// modulo 4096, so half of that can be outstanding (IBA vol. 1, 7.9.4.3).
	MaxCreditBlocks = 2048
	// MaxDelay bounds a link's propagation and its receiver's pipeline, in
	// picoseconds: 4.29 ms, or 850 km of fibre. It is held in 32 bits.
	MaxDelay = 1<<32 - 1
	// MaxCreditPeriod bounds the time between credit updates, in picoseconds:
	// 2.1 ms, a hundred times what IBA asks for (65,536 symbol times, vol. 1,
	// 7.9.4.1). It is held in 32 bits.
	MaxCreditPeriod = 1<<31 - 1
	// CreditBlock is the unit of credits in bytes (IBA vol. 1, 7.9).
	CreditBlock = 64
	// MaxPacketsInFlight bounds the packets of one partition, so that a run
	// that floods itself ends with a message and not with the machine's memory:
	// 2^26 packets take 6.5 GB.
	MaxPacketsInFlight = 1 << packetBits
	// MaxPartitions bounds the parts that one simulation is cut into: a part has its
	// mailboxes to every other, and its number is held in 8 bits.
	MaxPartitions = 128
	// maxOffenders is how many senders each port keeps a record of: it counts the
	// packets of others as well, but does not name them. A real port remembers one.
	maxOffenders = 64
)
