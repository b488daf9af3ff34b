package wire

import (
	"encoding/binary"

	"weft/units"
)

// DETHeader is the datagram extended transport header (IBA vol. 1, 9.3.2).
type DETHeader struct {
	QKey  uint32
	SrcQP units.QPN
}

// AppendTo appends the 8 bytes of the header.
func (h *DETHeader) AppendTo(b []byte) []byte {
	b = binary.BigEndian.AppendUint32(b, h.QKey)
	return binary.BigEndian.AppendUint32(b, uint32(h.SrcQP)&0xff_ffff)
}

// Parse reads the header from the front of b.
func (h *DETHeader) Parse(b []byte) error {
	if len(b) < DETHBytes {
		return ErrTruncated
	}
	h.QKey = binary.BigEndian.Uint32(b)
	h.SrcQP = units.QPN(binary.BigEndian.Uint32(b[4:]) & 0xff_ffff)
	return nil
}
