package transport

import (
	"weft/internal/sim/transport/cc"
	"weft/units"
)

// congestion is what congestion control allows, and what the requester has made of that.
type congestion struct {
	alg        cc.Algorithm
	allow      cc.Allowance
	pacedAt    units.Time // the last packet that was paced went
	pacedBytes uint32     // its size on the wire
	repeated   uint32     // packets sent more than once, modulo 2^32

	paceAt units.Time  // congestion control lets the next packet go
	flight units.Bytes // payload from una to nxt
}
