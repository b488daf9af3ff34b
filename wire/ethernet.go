package wire

import "encoding/binary"

// MAC is an Ethernet address.
type MAC [6]byte

// EtherType is the type of an Ethernet frame's payload.
type EtherType uint16

// The types of frames around RoCE (IEEE 802 numbers).
const (
	EtherTypeIPv4    EtherType = 0x0800
	EtherTypeVLAN    EtherType = 0x8100
	EtherTypeIPv6    EtherType = 0x86dd
	EtherTypeControl EtherType = 0x8808 // MAC control: pause and PFC
	EtherTypeRoCEv1  EtherType = 0x8915
)

// EthernetHeader is the header of a frame, with its IEEE 802.1Q tag if it has one.
type EthernetHeader struct {
	Dst, Src MAC
	Tagged   bool
	TCI      uint16 // priority in 3 bits, drop eligible in 1, VLAN in 12
	Type     EtherType
}

// AppendTo appends the 14 or 18 bytes of the header.
func (h *EthernetHeader) AppendTo(b []byte) []byte {
	b = append(append(b, h.Dst[:]...), h.Src[:]...)
	if h.Tagged {
		b = binary.BigEndian.AppendUint16(b, uint16(EtherTypeVLAN))
		b = binary.BigEndian.AppendUint16(b, h.TCI)
	}
	return binary.BigEndian.AppendUint16(b, uint16(h.Type))
}

// Parse reads the header from the front of b and returns its length.
func (h *EthernetHeader) Parse(b []byte) (int, error) {
	if len(b) < EthernetBytes {
		return 0, ErrTruncated
	}
	*h = EthernetHeader{Dst: MAC(b), Src: MAC(b[6:]), Type: EtherType(binary.BigEndian.Uint16(b[12:]))}
	if h.Type != EtherTypeVLAN {
		return EthernetBytes, nil
	}
	if len(b) < EthernetBytes+VLANBytes {
		return 0, ErrTruncated
	}
	h.Tagged, h.TCI = true, binary.BigEndian.Uint16(b[14:])
	h.Type = EtherType(binary.BigEndian.Uint16(b[16:]))
	return EthernetBytes + VLANBytes, nil
}
