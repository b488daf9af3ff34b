package transport

import "weft/wire"

// message is the SEND or WRITE that a responder receives packet by packet, in order.
type message struct {
	va     uint64 // a WRITE's
	bytes  uint32 `state:"bytes"` // that have come
	length uint32 // of the whole WRITE; for a SEND the room in the receive
	rkey   uint32
	class  opClass // classNone between messages
}

// assemble checks an in-order packet against its message, and adds it; it returns the NAK for an
// invalid packet, or 0. length is the room for a SEND.
func (m *message) assemble(e *endpoint, p *Packet, info *opInfo, room uint32) (syndrome wire.Syndrome) {
	mtu := uint32(e.cfg.PathMTU)
	if info.first != (m.class == classNone) || !info.first && info.class != m.class {
		return wire.NAKInvalidRequest
	}
	if p.Length > mtu || !info.last && p.Length != mtu {
		return wire.NAKInvalidRequest
	}
	if info.first {
		m.bytes = 0
		if info.class == classWrite {
			if !e.allowed(AccessRemoteWrite, p) {
				return wire.NAKRemoteAccess
			}
			m.va, m.rkey, m.length = p.VA, p.RKey, p.DMALen
		} else {
			m.length = room
		}
	}
	if !info.first && info.class == classWrite && !m.stillAllowed(e) {
		return wire.NAKRemoteAccess
	}
	total := m.bytes + p.Length
	if total > m.length || info.last && info.class == classWrite && total != m.length {
		return wire.NAKInvalidRequest
	}
	m.class, m.bytes = info.class, total
	return 0
}

// allowed asks the owner of the memory whether a request may access it. A request of no bytes
// accesses no memory (IBA vol. 1, 9.4.3).
func (e *endpoint) allowed(a Access, p *Packet) bool {
	return e.cfg.Access == nil || p.DMALen == 0 || e.cfg.Access(e.qpn, a, p.RKey, p.VA, p.DMALen)
}

// stillAllowed asks again for the WRITE in progress.
func (m *message) stillAllowed(e *endpoint) bool {
	return e.cfg.Access == nil || m.length == 0 || e.cfg.Access(e.qpn, AccessRemoteWrite, m.rkey, m.va, m.length)
}
