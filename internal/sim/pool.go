package sim

import (
	"weft/scenario"
	"weft/units"
)

// Where the GPUs of a node share a pool of memory and have no links to each other (CXL),
// a message is written to the pool, and the receiver reads it when it is whole. The
// devices of a pool are one port of their rates together: addresses are interleaved
// over them.

// pooled reports whether the GPUs of a node meet in a pool of memory.
func pooled(n *scenario.Node) bool { return n.ScaleUp.Kind == scenario.ScaleUpPool && n.GPUs > 1 }

// poolRate is the time of a byte at the port of a pool.
func poolRate(s *scenario.ScaleUp) units.PerByte {
	return rounded(float64(s.LinkRate) * float64(s.Devices))
}

// isPool reports whether a GPU's node is a pool.
func (n *network) isPool(gpu int32) bool { return (gpu-n.firstGPU)%n.stride == n.gpus }

// rounded is the time of a byte at a rate in bits per second, to a ten
// thousandth of a picosecond.
func rounded(rate float64) units.PerByte {
	const parts = 10_000
	return units.PerByte{Num: int64(8e12*parts/rate + 0.5), Den: parts}
}
