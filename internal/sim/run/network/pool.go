package network

import (
	"weft/scenario"
	"weft/units"
)

// If the GPUs of a node share a pool of memory and have no links to each other (CXL), a message is
// written to the pool, and the receiver reads it when it is complete. The devices of a pool are
// modelled as one port with the sum of their rates: addresses are interleaved over them.

// Pooled reports whether the GPUs of a node communicate through a pool of memory.
func Pooled(n *scenario.Node) bool { return n.ScaleUp.Kind == scenario.ScaleUpPool && n.GPUs > 1 }

// poolRate is the time of a byte at the port of a pool.
func poolRate(s *scenario.ScaleUp) units.PerByte {
	return Rounded(float64(s.LinkRate) * float64(s.Devices))
}

// IsPool reports whether a GPU's node is a pool.
func (n *Network) IsPool(gpu int32) bool { return (gpu-n.FirstGPU)%n.Stride == n.GPUs }

// Rounded is the time of a byte at a rate in bits per second, rounded to a ten thousandth of a
// picosecond.
func Rounded(rate float64) units.PerByte {
	const parts = 10_000
	return units.PerByte{Num: int64(8e12*parts/rate + 0.5), Den: parts}
}
