package socket

import (
	"weft/units"
	"weft/wire"
)

// Selective repeat between two weft. A request that comes ahead of the expected one
// is kept, as it came, and its sender is told of it: by a NAK of the sequence whose
// MSN field has the PSN that came, in the place of the message count. The sender
// repeats what is missing; then what was kept is taken in its turn. Nothing of a
// packet is believed any earlier or any more than in order. Loss of what travels the
// other way is the requester's matter: see package transport.

// ahead reports whether a packet is a request that comes ahead of the expected one.
func (p *Port) ahead(e *Endpoint, h *wire.Packet) bool {
	return !h.BTH.Opcode.Response() && h.BTH.Opcode != wire.CNP && e.QP.Expected().Before(h.BTH.PSN)
}

// hold keeps a packet. Without room for it, or too far ahead, it is as good as
// lost.
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

// unhold takes a packet out; its memory serves again.
func (p *Port) unhold(e *Endpoint, psn units.PSN) {
	if len(p.spare) < PeerPackets {
		p.spare = append(p.spare, e.held[psn])
	}
	delete(e.held, psn)
	p.held--
}

// release takes the packets whose turn has come.
func (p *Port) release(e *Endpoint, now units.Time) {
	for len(e.held) > 0 {
		psn := e.QP.Expected()
		b := e.held[psn]
		if b == nil {
			p.expire(e)
			return
		}
		p.unhold(e, psn) // nothing is held while it is given
		if p.arrived.Parse(b[:len(b)-wire.ICRCBytes]) != nil {
			return // it was parsed before: this cannot be
		}
		p.give(e, false, now)
		if e.QP.Expected() == psn {
			return // it is refused, and comes again
		}
	}
}

// expire forgets what was passed over: a READ takes several PSNs, in which no
// request of an honest peer is.
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

// letGo forgets what is kept of a queue pair.
func (p *Port) letGo(e *Endpoint) {
	p.held -= len(e.held)
	e.held = nil
}
