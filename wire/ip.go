package wire

import (
	"encoding/binary"
	"net/netip"
)

// ProtocolUDP is UDP's number in IP headers.
const ProtocolUDP = 17

// IPv4Header is an IPv4 header without options (RFC 791). A packet with options is not a RoCE
// packet here: no RDMA stack sends them.
type IPv4Header struct {
	TOS      uint8 // DSCP in 6 bits, ECN in 2
	Length   uint16
	ID       uint16
	Flags    uint16 // the flags in 3 bits, the fragment offset in 13
	TTL      uint8
	Protocol uint8
	Checksum uint16
	Src, Dst [4]byte
}

// DontFragment is the DF bit of IPv4Header.Flags.
const DontFragment = 0x4000

// AppendTo appends the 20 bytes of the header with its checksum.
func (h *IPv4Header) AppendTo(b []byte) []byte {
	start := len(b)
	b = append(b, 0x45, h.TOS)
	b = binary.BigEndian.AppendUint16(b, h.Length)
	b = binary.BigEndian.AppendUint16(b, h.ID)
	b = binary.BigEndian.AppendUint16(b, h.Flags)
	b = append(b, h.TTL, h.Protocol, 0, 0)
	b = append(append(b, h.Src[:]...), h.Dst[:]...)
	binary.BigEndian.PutUint16(b[start+10:], checksum(b[start:]))
	return b
}

// Parse reads the header from the front of b. It does not verify the checksum: the kernel and the
// NIC have done so.
func (h *IPv4Header) Parse(b []byte) error {
	if len(b) < IPv4Bytes {
		return ErrTruncated
	}
	if b[0] != 0x45 {
		return ErrVersion
	}
	*h = IPv4Header{
		TOS: b[1], Length: binary.BigEndian.Uint16(b[2:]), ID: binary.BigEndian.Uint16(b[4:]),
		Flags: binary.BigEndian.Uint16(b[6:]), TTL: b[8], Protocol: b[9], Checksum: binary.BigEndian.Uint16(b[10:]),
		Src: [4]byte(b[12:]), Dst: [4]byte(b[16:]),
	}
	return nil
}

// checksum is the Internet checksum of an even number of bytes (RFC 1071).
func checksum(b []byte) uint16 {
	sum := uint32(0)
	for ; len(b) >= 2; b = b[2:] {
		sum += uint32(binary.BigEndian.Uint16(b))
	}
	for sum > 0xffff {
		sum = sum>>16 + sum&0xffff
	}
	return ^uint16(sum)
}

// IPv6Header is an IPv6 header without extensions (RFC 8200). A GRH has the
// same layout (IBA vol. 1, 8.3), with 0x1B as its next header.
type IPv6Header struct {
	TrafficClass uint8
	FlowLabel    uint32 // 20 bits
	Length       uint16 // length after this header
	NextHeader   uint8
	HopLimit     uint8
	Src, Dst     [16]byte
}

// NextHeaderIBA says in a GRH that a BTH follows.
const NextHeaderIBA = 0x1b

// AppendTo appends the 40 bytes of the header.
func (h *IPv6Header) AppendTo(b []byte) []byte {
	b = binary.BigEndian.AppendUint32(b, 6<<28|uint32(h.TrafficClass)<<20|h.FlowLabel&0xf_ffff)
	b = binary.BigEndian.AppendUint16(b, h.Length)
	b = append(b, h.NextHeader, h.HopLimit)
	return append(append(b, h.Src[:]...), h.Dst[:]...)
}

// Parse reads the header from the front of b.
func (h *IPv6Header) Parse(b []byte) error {
	if len(b) < IPv6Bytes {
		return ErrTruncated
	}
	word := binary.BigEndian.Uint32(b)
	if word>>28 != 6 {
		return ErrVersion
	}
	*h = IPv6Header{
		TrafficClass: uint8(word >> 20), FlowLabel: word & 0xf_ffff, Length: binary.BigEndian.Uint16(b[4:]),
		NextHeader: b[6], HopLimit: b[7], Src: [16]byte(b[8:]), Dst: [16]byte(b[24:]),
	}
	return nil
}

// Addrs are the addresses of the header.
func (h *IPv4Header) Addrs() (src, dst netip.Addr) {
	return netip.AddrFrom4(h.Src), netip.AddrFrom4(h.Dst)
}

// Addrs are the addresses of the header.
func (h *IPv6Header) Addrs() (src, dst netip.Addr) {
	return netip.AddrFrom16(h.Src), netip.AddrFrom16(h.Dst)
}
