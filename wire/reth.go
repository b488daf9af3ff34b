package wire

import "encoding/binary"

// RKey is the key with which a peer accesses a memory region.
type RKey uint32

// RETHeader is the RDMA extended transport header: the memory of a WRITE or a READ (IBA vol. 1,
// 9.3.3).
type RETHeader struct {
	VA     uint64
	RKey   RKey
	Length uint32 // DMALen: bytes of the whole message, at most 2^31
}

// AppendTo appends the 16 bytes of the header.
func (h *RETHeader) AppendTo(b []byte) []byte {
	b = binary.BigEndian.AppendUint64(b, h.VA)
	b = binary.BigEndian.AppendUint32(b, uint32(h.RKey))
	return binary.BigEndian.AppendUint32(b, h.Length)
}

// Parse reads the header from the front of b.
func (h *RETHeader) Parse(b []byte) error {
	if len(b) < RETHBytes {
		return ErrTruncated
	}
	h.VA = binary.BigEndian.Uint64(b)
	h.RKey = RKey(binary.BigEndian.Uint32(b[8:]))
	h.Length = binary.BigEndian.Uint32(b[12:])
	return nil
}
