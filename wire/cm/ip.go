package cm

import (
	"encoding/binary"
	"net/netip"
)

// ServiceID is the service of a TCP-like port (IBA vol. 1, A11.4.2, with the
// protocol number 6).
func ServiceID(port uint16) uint64 { return 0x0000_0000_0106_0000 | uint64(port) }

// DatagramServiceID is the service of a UDP-like port, as in rdma_cm's RDMA_PS_UDP: port space
// 0x0111.
func DatagramServiceID(port uint16) uint64 { return 0x0000_0000_0111_0000 | uint64(port) }

// IBServiceID is the service of a port in rdma_cm's RDMA_PS_IB: port space 0x013F.
func IBServiceID(port uint16) uint64 { return 0x0000_0000_013f_0000 | uint64(port) }

// Port is the port of a service ID made by ServiceID or IBServiceID.
func Port(service uint64) (port uint16, ok bool) {
	return uint16(service), service>>16 == ServiceID(0)>>16 || service>>16 == IBServiceID(0)>>16
}

// IPBytes is the length of the IP addresses at the front of a REQ's private data.
const IPBytes = 36

// IPHeader holds the IP addresses of a connection (IBA vol. 1, A11.4.1).
type IPHeader struct {
	SrcPort  uint16
	Src, Dst netip.Addr
}

// Put writes the header into the first IPBytes of b.
func (h *IPHeader) Put(b []byte) {
	clear(b[:IPBytes])
	binary.BigEndian.PutUint16(b[2:], h.SrcPort)
	if h.Src.Is4() {
		b[1] = 4 << 4
		s, d := h.Src.As4(), h.Dst.As4()
		copy(b[16:], s[:])
		copy(b[32:], d[:])
		return
	}
	b[1] = 6 << 4
	s, d := h.Src.As16(), h.Dst.As16()
	copy(b[4:], s[:])
	copy(b[20:], d[:])
}

// Parse reads the header from the front of b.
func (h *IPHeader) Parse(b []byte) error {
	if len(b) < IPBytes || b[0] != 0 {
		return ErrMessage
	}
	h.SrcPort = binary.BigEndian.Uint16(b[2:])
	switch b[1] >> 4 {
	case 4:
		h.Src, h.Dst = netip.AddrFrom4([4]byte(b[16:])), netip.AddrFrom4([4]byte(b[32:]))
	case 6:
		h.Src, h.Dst = netip.AddrFrom16([16]byte(b[4:])), netip.AddrFrom16([16]byte(b[20:]))
	default:
		return ErrMessage
	}
	return nil
}

// GID is an address as a RoCE GID: IPv4 mapped into IPv6 (IBA vol. 1, A17.4).
func GID(a netip.Addr) [16]byte { return a.As16() }

// MTUCode is the code of a path MTU of 256 to 4096 bytes; 0 for others.
func MTUCode(bytes int) uint8 {
	for code := uint8(1); code <= 5; code++ {
		if MTUBytes(code) == bytes {
			return code
		}
	}
	return 0
}

// MTUBytes is the path MTU of a code, 0 for an unknown code.
func MTUBytes(code uint8) int {
	if code < 1 || code > 5 {
		return 0
	}
	return 128 << code
}
