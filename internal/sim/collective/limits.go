package collective

// The bounds of the package.
const (
	// MaxRanks keeps rank numbers and the steps of a ring (two per rank)
	// inside the 32 bits of Transfer.
	MaxRanks = 1 << 24
	// MaxBytes leaves room for sums over ranks and rounding in 64 bits.
	MaxBytes = 1 << 50
	// MaxChannels is NCCL's MAXCHANNELS (src/include/device.h).
	MaxChannels = 64
	// MaxLanes keeps lane numbers inside 32 bits: a Spec with too small chunks for its message is
	// refused.
	MaxLanes = 1 << 30
	// maxPieces bounds the memory of a step: an all-to-all of 4 GiB in NCCL's chunks of 32 KiB, whose
	// pairs have one channel.
	maxPieces = 1 << 17
)
