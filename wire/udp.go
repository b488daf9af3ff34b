package wire

import "encoding/binary"

// RoCEv2Port is the UDP destination port of RoCE v2 (IANA; IBA vol. 1, A17).
const RoCEv2Port = 4791

// UDPHeader is a UDP header (RFC 768).
type UDPHeader struct {
	Src, Dst uint16
	Length   uint16 // header and data
	Checksum uint16 // RoCE v2 over IPv6 sends 0
}

// AppendTo appends the 8 bytes of the header.
func (h *UDPHeader) AppendTo(b []byte) []byte {
	b = binary.BigEndian.AppendUint16(b, h.Src)
	b = binary.BigEndian.AppendUint16(b, h.Dst)
	b = binary.BigEndian.AppendUint16(b, h.Length)
	return binary.BigEndian.AppendUint16(b, h.Checksum)
}

// Parse reads the header from the front of b.
func (h *UDPHeader) Parse(b []byte) error {
	if len(b) < UDPBytes {
		return ErrTruncated
	}
	h.Src, h.Dst = binary.BigEndian.Uint16(b), binary.BigEndian.Uint16(b[2:])
	h.Length, h.Checksum = binary.BigEndian.Uint16(b[4:]), binary.BigEndian.Uint16(b[6:])
	return nil
}
