package units

// PSN is a 24-bit packet sequence number of the RDMA transport (IBA vol. 1,
// 9.7.1). It wraps: compare PSNs only with Sub and Before.
type PSN uint32

// PSNMask keeps the 24 bits that a PSN has.
const PSNMask = 1<<24 - 1

// Add is the PSN n packets after p; n may be negative.
func (p PSN) Add(n int32) PSN { return PSN(uint32(p)+uint32(n)) & PSNMask }

// Sub is the signed distance from q to p, in [-2^23, 2^23).
func (p PSN) Sub(q PSN) int32 { return int32(uint32(p)<<8-uint32(q)<<8) >> 8 }

// Before reports whether p comes before q on the circle of PSNs.
func (p PSN) Before(q PSN) bool { return p.Sub(q) < 0 }

// QPN is a 24-bit queue pair number.
type QPN uint32

// LID is a 16-bit local identifier of an InfiniBand subnet (IBA vol. 1, 4.1.3).
type LID uint16

// The ranges of LIDs: 0 is reserved, unicast LIDs run from 1 to LastUnicastLID,
// multicast LIDs from FirstMulticastLID to 0xFFFE, and the permissive LID
// addresses a port that has none yet.
const (
	LastUnicastLID    LID = 0xBFFF
	FirstMulticastLID LID = 0xC000
	PermissiveLID     LID = 0xFFFF
)

// VL is an InfiniBand virtual lane, 0 to 15; 15 is management.
type VL uint8

// SL is an InfiniBand service level, 0 to 15.
type SL uint8
