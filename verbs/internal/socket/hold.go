package socket

import (
	"weft/units"
	"weft/wire"
)

// Selective repeat between two weft devices. The receiver keeps a request that arrives ahead of the
// expected one, unchanged. It tells the sender by a NAK of the sequence error, whose MSN field
// holds the PSN that arrived instead of the message count. The sender repeats the missing packets;
// then the receiver processes the kept requests in turn, with the same checks as packets in order.
// Losses in the other direction are handled by the requester: see package transport.

// ahead reports whether a packet is a request ahead of the expected one.
func (p *Port) ahead(e *Endpoint, h *wire.Packet) bool {
	return !h.BTH.Opcode.Response() && h.BTH.Opcode != wire.CNP && e.QP.Expected().Before(h.BTH.PSN)
}

// hold keeps a packet. If there is no room for it, or it is too far ahead, it counts as lost.
func (p *Port) hold(e *Endpoint, psn units.PSN, b []byte) bool {
	if e.held[psn] != nil {
		return true
	}
	if p.held == MaxHeld || int(psn.Sub(e.QP.Expected())) > PeerPackets {
		return false
	}
	if e.held == nil {
		e.held = map[units.PSN][]byte{}
	}
	var room []byte
	if n := len(p.spare); n > 0 {
		room, p.spare = p.spare[n-1], p.spare[:n-1]
	}
	e.held[psn] = append(room[:0], b...)
	p.held++
	return true
}

// unhold removes a packet; its memory is reused.
func (p *Port) unhold(e *Endpoint, psn units.PSN) {
	if len(p.spare) < PeerPackets {
		p.spare = append(p.spare, e.held[psn])
	}
	delete(e.held, psn)
	p.held--
}

// release processes the packets whose turn has come.
func (p *Port) release(e *Endpoint, now units.Time) {
	for len(e.held) > 0 {
		psn := e.QP.Expected()
		b := e.held[psn]
		if b == nil {
			p.expire(e)
			return
		}
		p.unhold(e, psn) // a packet being processed is not held
		if p.arrived.Parse(b[:len(b)-wire.ICRCBytes]) != nil {
			return // it was parsed before: this cannot happen
		}
		p.give(e, false, now)
		if e.QP.Expected() == psn {
			return // it is refused, and will be sent again
		}
	}
}

// expire removes held packets before the expected PSN: a READ takes several PSNs, and an honest
// peer sends no request within them.
func (p *Port) expire(e *Endpoint) {
	if e.passed == e.QP.Expected() {
		return
	}
	e.passed = e.QP.Expected()
	for psn := range e.held {
		if psn.Before(e.passed) {
			p.unhold(e, psn)
		}
	}
}

// dropHeld forgets all held packets of a queue pair.
func (p *Port) dropHeld(e *Endpoint) {
	p.held -= len(e.held)
	e.held = nil
}
