package units

import (
	"fmt"
	"math/big"
)

// picosecondsPerByteAtOneBps is the time of a byte at one bit per second.
const picosecondsPerByteAtOneBps = 8 * int64(Second)

// PerByte is the time that one byte takes on a link: Num/Den picoseconds, reduced. It is a fraction
// because rates exist whose bytes are no whole number of picoseconds: FDR's is 440/3 ps. A
// serialiser carries the remainder of (bytes × Num) / Den from packet to packet.
type PerByte struct{ Num, Den int64 }

// PerByte is the exact time of a byte at rate r, which must be positive.
func (r Rate) PerByte() PerByte { return NewPerByte(1, r, 1, 1) }

// NewPerByte is the exact time of a data byte on lanes that each signal at the
// given rate, of which the line code leaves codeNum/codeDen for data: 8/10 for
// 8b/10b, 64/66 for 64b/66b, 16/17 for RS(544,514) FEC over 256b/257b
// (514/544 × 256/257). All arguments must be positive: they come from the
// catalog or from a validated scenario. A time that does not fit 64 bits is the zero PerByte.
func NewPerByte(lanes int, signalling Rate, codeNum, codeDen int64) PerByte {
	if lanes <= 0 || signalling <= 0 || codeNum <= 0 || codeDen <= 0 {
		panic(fmt.Sprintf("units: no time of a byte on %d lanes of %d bit/s with code %d/%d",
			lanes, signalling, codeNum, codeDen))
	}
	bitRate := new(big.Rat).SetFrac64(int64(signalling), 1)
	bitRate.Mul(bitRate, new(big.Rat).SetInt64(int64(lanes)))
	bitRate.Mul(bitRate, new(big.Rat).SetFrac64(codeNum, codeDen))
	perByte := new(big.Rat).SetFrac64(picosecondsPerByteAtOneBps, 1)
	perByte.Quo(perByte, bitRate)
	if !perByte.Num().IsInt64() || !perByte.Denom().IsInt64() {
		return PerByte{}
	}
	return PerByte{Num: perByte.Num().Int64(), Den: perByte.Denom().Int64()}
}

// String is p as "80 ps/B" or "440/3 ps/B".
func (p PerByte) String() string {
	if p.Den == 1 {
		return fmt.Sprintf("%d ps/B", p.Num)
	}
	return fmt.Sprintf("%d/%d ps/B", p.Num, p.Den)
}
