package simai

const (
	// maxRanks is more than any cluster has.
	maxRanks = 1 << 20
	// maxLayers is a list of a thousand layers for a thousand micro-batches.
	maxLayers = 1 << 20
	// maxNumber keeps times and sizes within 63 bits of picoseconds and bytes.
	maxNumber = 1 << 50
)

// nanosecond is the unit of the computing times that AICB writes.
const nanosecond = 1000
