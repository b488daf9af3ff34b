package wire

import "encoding/binary"

// AtomicETHeader is the atomic extended transport header (IBA vol. 1, 9.3.4).
type AtomicETHeader struct {
	VA      uint64 // aligned to 8 bytes
	RKey    RKey
	SwapAdd uint64 // the value to store, or to add
	Compare uint64 // the expected value of a compare and swap
}

// AppendTo appends the 28 bytes of the header.
func (h *AtomicETHeader) AppendTo(b []byte) []byte {
	b = binary.BigEndian.AppendUint64(b, h.VA)
	b = binary.BigEndian.AppendUint32(b, uint32(h.RKey))
	b = binary.BigEndian.AppendUint64(b, h.SwapAdd)
	return binary.BigEndian.AppendUint64(b, h.Compare)
}

// Parse reads the header from the front of b.
func (h *AtomicETHeader) Parse(b []byte) error {
	if len(b) < AtomicETHBytes {
		return ErrTruncated
	}
	h.VA = binary.BigEndian.Uint64(b)
	h.RKey = RKey(binary.BigEndian.Uint32(b[8:]))
	h.SwapAdd = binary.BigEndian.Uint64(b[12:])
	h.Compare = binary.BigEndian.Uint64(b[20:])
	return nil
}
