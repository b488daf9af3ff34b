package transport

import (
	"weft/units"
	"weft/wire"
)

// responder is the half of a queue pair that takes requests and answers them. The
// endpoint, which it shares with the requester, comes in with each call.
//
// The fields of every packet fill a cache line: from epsn to qkey.
type responder struct {
	readQueue
	ahead *arrivals // requests ahead of epsn
	acks
	msg message
	recvQueue
}

// post appends a receive to the receive queue.
func (s *responder) post(e *endpoint, now units.Time, r RecvRequest) error {
	if e.state == StateReset {
		return ErrState
	}
	if err := s.push(r); err != nil {
		return err
	}
	if e.state == StateErr {
		e.wake = now // Timeout flushes it
	}
	return nil
}

// receive handles a request of a connected service.
func (s *responder) receive(e *endpoint, now units.Time, p *Packet, info *opInfo, b *Batch) Verdict {
	switch {
	case e.service == UC:
		return s.receiveUC(e, p, info, b)
	case e.sprays():
		return s.receiveUnordered(e, p, info, b)
	}
	return s.receiveRC(e, now, p, info, b)
}

// receiveRC handles a request of RC in order.
func (s *responder) receiveRC(e *endpoint, now units.Time, p *Packet, info *opInfo, b *Batch) Verdict {
	if d := p.PSN.Sub(s.epsn); d != 0 {
		switch {
		case d < 0:
			return s.duplicate(e, p, info, b)
		case e.cfg.Delivery == SelectiveHeld:
			s.reportAhead(e, p.PSN, b)
			return Held
		case e.cfg.Delivery.placesAhead():
			v := s.placeAhead(e, p, info)
			if e.cfg.Delivery == Selective {
				s.reportAhead(e, p.PSN, b)
			}
			return v
		default:
			return s.gap(e, now, b)
		}
	}
	if e.cfg.Delivery.placesAhead() {
		return s.receiveAnyOrder(e, p, info, b)
	}
	if info.class == classReadRequest {
		if s.msg.class != classNone {
			s.abort(e, wire.NAKInvalidRequest, b)
			return Dropped
		}
		return s.acceptRead(e, p, b)
	}
	if info.class == classAtomic {
		return s.acceptAtomic(e, p, b)
	}
	if needsRecv(info) && !s.hasRecv(e) {
		return s.notReady(e, b)
	}
	if syndrome := s.msg.assemble(e, p, info, s.roomFor(info)); syndrome != 0 {
		s.failReceive(e, info, b)
		s.abort(e, syndrome, b)
		return Dropped
	}
	if info.class == classSend && !s.receivable(e, p) {
		s.loseReceive(e, b)
		return Dropped
	}
	s.step(e)
	v := s.place(p)
	if info.last {
		if info.inv && !s.invalidated(e, p, b) {
			return Dropped
		}
		s.deliver(e, p, info, s.msg.bytes, b)
		s.msg.class = classNone
	}
	if info.last || p.Flags&FlagAckReq != 0 || s.ackDue(e) {
		s.ack(e, b)
	}
	return v
}

// needsRecv reports whether the packet needs a receive: a SEND when it begins, a WRITE with
// immediate data when it ends.
func needsRecv(info *opInfo) bool {
	return info.class == classSend && info.first || info.class == classWrite && info.imm
}

// hasRecv reports whether a receive is available.
func (s *responder) hasRecv(e *endpoint) bool { return !s.empty() || e.cfg.ImplicitRecv }

// roomFor is the longest message that a packet may begin.
func (s *responder) roomFor(info *opInfo) uint32 {
	if !info.first || s.empty() {
		return MaxMessageBytes
	}
	return s.oldest().length
}

// wantsRecv is WantsRecv for the responder.
func (s *responder) wantsRecv(e *endpoint, p *Packet) bool {
	info := &ops[p.Op]
	inTurn := p.PSN == s.epsn || e.service != RC
	return inTurn && s.empty() && e.state >= StateRTR && e.state < StateErr &&
		(needsRecv(info) && info.svc == e.service || info.class == classDatagram && e.service == UD)
}

// place is the place of an assembled packet's payload.
func (s *responder) place(p *Packet) Verdict {
	p.Offset = s.msg.bytes - p.Length
	if s.msg.class == classWrite {
		p.VA, p.RKey, p.DMALen = s.msg.va, s.msg.rkey, s.msg.length
		return PlaceWrite
	}
	p.VA = 0
	if !s.empty() {
		p.VA = s.oldest().id
	}
	return PlaceRecv
}

// deliver finishes a message of the given length: its receive, if it needs one, completes. A
// receive must be available.
func (s *responder) deliver(e *endpoint, p *Packet, info *opInfo, bytes uint32, b *Batch) {
	s.msn = (s.msn + 1) & units.PSNMask
	if info.class == classWrite && !info.imm {
		return
	}
	c := Completion{QPN: e.qpn, Bytes: bytes, Recv: true, Op: OpSend}
	if info.class == classWrite {
		c.Op = OpWriteImm
	}
	if info.imm {
		c.HasImm, c.Imm = true, p.Imm
		if c.Op == OpSend {
			c.Op = OpSendImm
		}
	}
	if info.inv {
		c.HasInv, c.Imm = true, p.Imm
	}
	if info.class == classDatagram {
		c.SrcQP = p.SrcQP
	}
	if !s.empty() {
		c.ID = s.pop().id
	}
	b.Completions = append(b.Completions, c)
}

// invalidated makes the key stale that a SEND names. A peer that may not ask for
// that gets no answer: its SEND, which the receive reports, ends the connection (IBA
// vol. 1, 9.9.3: class J).
func (s *responder) invalidated(e *endpoint, p *Packet, b *Batch) bool {
	if e.cfg.Invalidate == nil || e.cfg.Invalidate(e.qpn, p.Imm) {
		return true
	}
	if !s.empty() {
		b.Completions = append(b.Completions, Completion{ID: s.pop().id, QPN: e.qpn, Status: RemInvReqErr, Recv: true})
	}
	e.becomeErr()
	return false
}

// receivable asks the owner of the receive whether an assembled packet of a SEND can be placed.
func (s *responder) receivable(e *endpoint, p *Packet) bool {
	return e.cfg.Receivable == nil || s.empty() || e.cfg.Receivable(e.qpn, s.oldest().id, s.msg.bytes-p.Length, p.Length)
}

// loseReceive ends the connection at a receive whose memory is not there: the fault is this end's,
// and the peer learns that (IBA vol. 1, 9.9.3: class A).
func (s *responder) loseReceive(e *endpoint, b *Batch) {
	b.Completions = append(b.Completions, Completion{ID: s.pop().id, QPN: e.qpn, Status: LocProtErr, Recv: true})
	s.abort(e, wire.NAKRemoteOperational, b)
}

// failReceive completes the receive of a SEND that does not fit, or that is malformed.
func (s *responder) failReceive(e *endpoint, info *opInfo, b *Batch) {
	if info.class == classSend && !s.empty() {
		b.Completions = append(b.Completions, Completion{ID: s.pop().id, QPN: e.qpn, Status: LocLenErr, Recv: true})
	}
}

// duplicate answers a duplicate request: a READ is served again, anything else is acknowledged
// again (IBA vol. 1, 9.7.5.1.4).
func (s *responder) duplicate(e *endpoint, p *Packet, info *opInfo, b *Batch) Verdict {
	if info.class == classReadRequest {
		return s.repeatRead(e, p)
	}
	if info.class == classAtomic {
		return s.repeatAtomic(e, p)
	}
	s.unacked++
	if p.Flags&FlagAckReq != 0 || e.cfg.Duplicates == DuplicatesAcked || e.cfg.Duplicates == DuplicatesCounted && s.unacked >= uint32(e.cfg.AckEvery) {
		s.ack(e, b)
	}
	return Dropped
}
