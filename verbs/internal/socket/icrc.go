package socket

import (
	"encoding/binary"
	"net/netip"

	"weft/verbs/internal/foreign"
	"weft/wire"
)

// checksum is the ICRC of a packet that is written. It is left out by a Way, unless a capture shows it.
type checksum struct {
	left  bool
	value uint32
}

func (c *checksum) begin(f *wire.ICRCFlow, id uint16, udp int, head []byte) {
	if !c.left {
		c.value = f.Begin(id, udp, head)
	}
}

func (c *checksum) add(b []byte) {
	if !c.left {
		c.value = wire.ICRCUpdate(c.value, b)
	}
}

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

// complete writes the ICRC of a packet that came without one.
func (v *verifier) complete(b []byte, id uint16) {
	tail := len(b) - wire.ICRCBytes
	wire.AppendICRC(b[:tail], v.flow.Begin(id, wire.UDPBytes+len(b), b[:tail]))
}

// check is the outcome of verify.
type check struct {
	id uint16
	ok bool
}

// checkPlaced verifies the packets of a datagram whose payload is at its place. False says that the
// memory is no longer there: the packets count as lost.
func (p *Port) checkPlaced(in *Incoming) bool {
	return foreign.Try(func() {
		rest := in.Data
		for i := range in.placed {
			s, c := &in.placed[i], &p.checked[i]
			tail := s.head + s.bytes
			c.id, c.ok = p.verifier.verifyParts(rest[:tail-len(s.memory)], s.memory, rest[tail:], i)
			rest = rest[s.size():]
		}
	})
}

// verify checks a packet from the BTH to the ICRC; index is its position in the datagram. It
// returns the packet's IP identification.
func (v *verifier) verify(b []byte, index int) (id uint16, ok bool) {
	tail := len(b) - wire.ICRCBytes
	return v.verifyParts(b[:tail], nil, b[tail:], index)
}

// verifyParts is verify for a packet whose headers, rest of payload and ICRC lie apart.
func (v *verifier) verifyParts(head, rest, icrc []byte, index int) (id uint16, ok bool) {
	udp := wire.UDPBytes + len(head) + len(rest) + wire.ICRCBytes
	got := binary.LittleEndian.Uint32(icrc)
	if v.v6 {
		index = 0
	}
	calculated := v.flow.Begin(uint16(index), udp, head)
	if len(rest) > 0 {
		calculated = wire.ICRCUpdate(calculated, rest)
	}
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
