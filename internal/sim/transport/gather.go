package transport

import (
	"slices"

	"weft/units"
	"weft/wire"
)

// openMessage is a message with some of its packets.
type openMessage struct {
	first units.PSN
	left  uint32 // packets
	imm   uint32 // of the last packet, once it has arrived
	op    wire.Opcode
}

// ackTrigger is the payload that causes an acknowledgement although no packet requests one.
func (c *Config) ackTrigger() uint32 { return uint32(max(1, c.AckEvery) * c.PathMTU) }

// receiveUnordered handles a request.
func (s *responder) receiveUnordered(e *endpoint, p *Packet, info *opInfo, b *Batch) Verdict {
	u := s.ahead
	switch d := p.PSN.Sub(s.epsn); {
	case d < 0 || s.hasAhead(p.PSN):
		s.acknowledgeUnordered(e, p, b)
		return Dropped
	case info.class == classWrite && !e.allowed(AccessRemoteWrite, p):
		s.abort(e, wire.NAKRemoteAccess, b)
		return Dropped
	case d == 0:
		s.epsn = s.epsn.Add(1)
		for u.take(s.epsn) {
			s.epsn = s.epsn.Add(1)
		}
	case !u.mark(s.epsn, p.PSN):
		return Dropped
	}
	u.taken += p.Length
	whole := s.collect(e, p, info, b)
	if whole || p.Flags&FlagAckReq != 0 || s.echo || u.taken-u.reported >= e.cfg.ackTrigger() {
		s.acknowledgeUnordered(e, p, b)
	}
	return placed(info)
}

// hasAhead reports whether a packet ahead of the expected one has come.
func (s *responder) hasAhead(psn units.PSN) bool {
	return uint32(psn.Sub(s.epsn)) < s.ahead.size() && s.ahead.has(psn)
}

// collect adds a packet to its message; if the message is complete, it delivers it and returns
// true.
func (s *responder) collect(e *endpoint, p *Packet, info *opInfo, b *Batch) (whole bool) {
	mtu := uint32(e.cfg.PathMTU)
	if p.DMALen <= mtu {
		s.deliver(e, p, info, p.DMALen, b)
		return true
	}
	u := s.ahead
	first := p.PSN.Add(-int32(p.Offset / mtu))
	i := slices.IndexFunc(u.open, func(m openMessage) bool { return m.first == first })
	if i < 0 {
		if len(u.open) >= MaxOpenMessages {
			s.abort(e, wire.NAKInvalidRequest, b)
			return false
		}
		i = len(u.open)
		u.open = append(u.open, openMessage{first: first, left: (p.DMALen-1)/mtu + 1})
	}
	m := &u.open[i]
	if info.last {
		m.imm, m.op = p.Imm, p.Op
	}
	if m.left--; m.left > 0 {
		return false
	}
	end := Packet{Op: m.op, Imm: m.imm, SrcQP: p.SrcQP}
	u.open[i] = u.open[len(u.open)-1]
	u.open = u.open[:len(u.open)-1]
	s.deliver(e, &end, &ops[end.Op], p.DMALen, b)
	return true
}

// acknowledgeUnordered answers a request with the arrived packets.
func (s *responder) acknowledgeUnordered(e *endpoint, p *Packet, b *Batch) {
	u := s.ahead
	u.reported = u.taken
	a := b.packet()
	s.answer(e, a, s.epsn.Add(-1), wire.ACKNoLimit)
	a.Op, a.Imm, a.EV, a.DMALen = SelectiveAck, uint32(p.PSN), p.EV, u.taken
	if d := p.PSN.Sub(s.epsn); d >= 0 && uint32(d) < u.size() {
		a.VA = u.around(p.PSN)
	}
}

// around is the 64 bits from a multiple of 64 on that psn is among.
func (r *reorder) around(psn units.PSN) uint64 {
	return r.bits[uint32(psn)&(r.size()-1)/64]
}

// receiveTrimmed handles a packet whose payload a switch has cut off.
func (s *responder) receiveTrimmed(e *endpoint, p *Packet, info *opInfo, b *Batch) Verdict {
	if !e.sprays() || info.class != classWrite && info.class != classSend {
		return Dropped
	}
	if p.PSN.Sub(s.epsn) < 0 || s.hasAhead(p.PSN) {
		s.acknowledgeUnordered(e, p, b)
		return Dropped
	}
	a := b.packet()
	s.answer(e, a, s.epsn.Add(-1), wire.NAKSequence)
	a.Op, a.Imm, a.EV = Nack, uint32(p.PSN), p.EV
	a.Flags |= p.Flags & FlagLastHop
	if p.Flags&FlagCE != 0 {
		a.Flags |= FlagCNP
	}
	return Taken
}
