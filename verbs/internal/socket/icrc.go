package socket

import (
	"encoding/binary"
	"net/netip"

	"weft/wire"
)

// verifier checks the ICRCs of the packets that arrive from one address and port.
type verifier struct {
	from   netip.AddrPort
	to     netip.AddrPort // a group, or not valid: the port itself
	bare   netip.Addr     // the sender's address, as Peer.bare
	flow   wire.ICRCFlow
	v6     bool
	strict bool
}

// aim makes it that of packets from an address to a group, or where that is not
// valid to the port's own address.
func (v *verifier) aim(from, group, local netip.AddrPort) {
	v.from, v.to, v.bare = from, group, from.Addr().Unmap().WithZone("")
	if group.IsValid() {
		local = group
	}
	v.flow = wire.NewICRCFlow(from, local)
	v.v6 = !from.Addr().Unmap().Is4()
}

// verify checks a packet from the BTH to the ICRC, which is the index-th of its
// datagram. It returns the IP identification that the packet had.
func (v *verifier) verify(b []byte, index int) (id uint16, ok bool) {
	udp := wire.UDPBytes + len(b)
	tail := len(b) - wire.ICRCBytes
	got := binary.LittleEndian.Uint32(b[tail:])
	if v.v6 {
		index = 0
	}
	calculated := v.flow.Begin(uint16(index), udp, b[:tail])
	if calculated == got {
		return uint16(index), true
	}
	if v.v6 || v.strict {
		return 0, false
	}
	// The CRC is linear in the identification: what is solved for here is the
	// difference from the one that was tried.
	difference, ok := wire.SolveID(calculated, got, udp)
	return uint16(index) ^ difference, ok
}
