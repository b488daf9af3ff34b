package cc

import (
	"math/bits"

	"weft/units"
)

// one is 1 as a fraction of 2^16.
const one = 1 << 16

// mulDiv is a·b/c, rounded down, for non-negative values; the product may need 128 bits, the
// quotient is limited to an int64.
func mulDiv(a, b, c int64) int64 {
	hi, lo := bits.Mul64(uint64(a), uint64(b))
	if hi >= uint64(c) {
		return 1<<63 - 1
	}
	q, _ := bits.Div64(hi, lo, uint64(c))
	return int64(min(q, 1<<63-1))
}

// bytesIn is the number of bytes at a rate in a time.
func bytesIn(r units.Rate, t units.Time) units.Bytes {
	return units.Bytes(mulDiv(int64(r), int64(t), 8*int64(units.Second)))
}

// rateOf is the rate of a number of bytes in a time, which is not 0.
func rateOf(b units.Bytes, t units.Time) units.Rate {
	return units.Rate(mulDiv(int64(b)*8, int64(units.Second), int64(t)))
}

// sqrt is the square root, rounded down.
func sqrt(x uint64) uint64 {
	r := uint64(0)
	for bit := uint64(1) << 31; bit > 0; bit >>= 1 {
		if t := r | bit; t*t <= x {
			r = t
		}
	}
	return r
}
