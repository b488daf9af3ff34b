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
	// CreditBlock is the unit of credits in bytes (IBA vol. 1, 7.9).
	CreditBlock = 64
	// MaxPacketsInFlight bounds the packets of one partition, so that a run
	// that floods itself ends with a message and not with the machine's memory:
	// 2^26 packets take 6.5 GB.
	MaxPacketsInFlight = 1 << 26
)
