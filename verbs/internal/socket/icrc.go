package socket

import (
	"encoding/binary"
	"net/netip"

	"weft/wire"
)

// verifier checks the ICRCs of the packets that arrive from one address and port.
type verifier struct {
	from   netip.AddrPort
	to     netip.AddrPort // a group; if invalid, the port itself
	bare   netip.Addr     // the sender's address, as Peer.bare
	flow   wire.ICRCFlow
	v6     bool
	strict bool
}

// aim sets the addresses: packets from an address to a group, or, if that is invalid, to the port's
// own address.
func (v *verifier) aim(from, group, local netip.AddrPort) {
	v.from, v.to, v.bare = from, group, from.Addr().Unmap().WithZone("")
	if group.IsValid() {
		local = group
	}
	v.flow = wire.NewICRCFlow(from, local)
	v.v6 = !from.Addr().Unmap().Is4()
}

// verify checks a packet from the BTH to the ICRC; index is its position in the datagram. It
// returns the packet's IP identification.
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
	// The CRC is linear in the identification: SolveID finds the difference from the identification
	// already tried.
	difference, ok := wire.SolveID(calculated, got, udp)
	return uint16(index) ^ difference, ok
}
