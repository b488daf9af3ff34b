package transport

import (
	"weft/units"
	"weft/wire"
)

// responder is the half of a queue pair that takes requests and answers them. What it
// shares with the requester comes in with each call.
//
// The fields of every packet fill a cache line: from epsn to rtail.
type responder struct {
	reads []readWork // READs being served; setReads changes it
	ahead *arrivals  // requests ahead of epsn

	epsn     units.PSN // the next expected
	msn      uint32    // messages finished
	unacked  uint32    // packets since the last acknowledgement
	msgBytes uint32    // of the message under way
	msgLen   uint32    // its length, a WRITE's
	msgRKey  uint32
	msgVA    uint64
	msgClass opClass       // classNone between messages
	nakked   bool          // a NAK is out for epsn
	echo     bool          // a mark waits for the next acknowledgement
	owedSyn  wire.Syndrome // the syndrome that is owed
	qkey     uint32        // UD
	cnpAt    units.Time    // the notification point may send a CNP
	nakAt    units.Time    // a lasting gap may be NAKed again
	recvQueue
}

// post appends a receive to the receive queue.
func (s *responder) post(e *endpoint, now units.Time, r RecvRequest) error {
	if e.state == StateReset {
		return ErrState
	}
	n := uint32(len(s.rq))
	if s.rtail-s.rhead == n {
		if n >= MaxRecvQueue {
			return ErrQueueFull
		}
		bigger := make([]recvWork, max(minRing, 2*n))
		for i := s.rhead; i != s.rtail; i++ {
			bigger[i&uint32(len(bigger)-1)] = s.rq[i&(n-1)]
		}
		s.rq = bigger
	}
	s.rq[s.rtail&uint32(len(s.rq)-1)] = recvWork{id: r.ID, length: r.Length}
	s.rtail++
	if e.state == StateErr {
		e.wake = now // Timeout flushes it
	}
	return nil
}

// recvHead is the oldest posted receive; the caller knows that there is one.
func (s *responder) recvHead() recvWork { return s.rq[s.rhead&uint32(len(s.rq)-1)] }

// receive takes a request of a connected service.
func (s *responder) receive(e *endpoint, now units.Time, p *Packet, info *opInfo, b *Batch) Verdict {
	switch {
	case e.service == UC:
		return s.receiveUC(e, p, info, b)
	case e.sprays():
		return s.receiveUnordered(e, p, info, b)
	}
	return s.receiveRC(e, now, p, info, b)
}

// receiveRC takes a request of RC in its order.
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
		if s.msgClass != classNone {
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
	if syndrome := s.assemble(e, p, info); syndrome != 0 {
		s.failReceive(e, info, b)
		s.abort(e, syndrome, b)
		return Dropped
	}
	s.step(e)
	v := s.place(p)
	if info.last {
		if info.inv && !s.invalidated(e, p, b) {
			return Dropped
		}
		s.deliver(e, p, info, s.msgBytes, b)
		s.msgClass = classNone
	}
	if info.last || p.Flags&FlagAckReq != 0 || s.ackDue(e) {
		s.ack(e, b)
	}
	return v
}

// step expects the next packet, now that one has come in its turn.
func (s *responder) step(e *endpoint) {
	s.epsn = s.epsn.Add(1)
	s.unacked++
	s.nakked = false
	if e.owed&owedNAK != 0 {
		e.owed = owedReads | owedAck
	}
}

// needsRecv reports whether the packet takes a receive: a SEND when it begins,
// a WRITE with immediate data when it ends.
func needsRecv(info *opInfo) bool {
	return info.class == classSend && info.first || info.class == classWrite && info.imm
}

// hasRecv reports whether a receive is there to be taken.
func (s *responder) hasRecv(e *endpoint) bool { return s.rhead != s.rtail || e.cfg.ImplicitRecv }

// wantsRecv reports whether p would take a receive now and none is posted: who
// shares receives between queue pairs posts one before Receive.
func (s *responder) wantsRecv(e *endpoint, p *Packet) bool {
	info := &ops[p.Op]
	inTurn := p.PSN == s.epsn || e.service != RC
	return inTurn && s.rhead == s.rtail && e.state >= StateRTR && e.state < StateErr &&
		(needsRecv(info) && info.svc == e.service || info.class == classDatagram && e.service == UD)
}

// assemble checks a packet that is in order against its message, and adds it;
// it returns the NAK that the packet deserves, or 0.
func (s *responder) assemble(e *endpoint, p *Packet, info *opInfo) (syndrome wire.Syndrome) {
	mtu := uint32(e.cfg.PathMTU)
	if info.first != (s.msgClass == classNone) || !info.first && info.class != s.msgClass {
		return wire.NAKInvalidRequest
	}
	if p.Length > mtu || !info.last && p.Length != mtu {
		return wire.NAKInvalidRequest
	}
	if info.first {
		s.msgBytes = 0
		if info.class == classWrite {
			if !s.allowed(e, AccessRemoteWrite, p) {
				return wire.NAKRemoteAccess
			}
			s.msgVA, s.msgRKey, s.msgLen = p.VA, p.RKey, p.DMALen
		} else {
			s.msgLen = MaxMessageBytes
			if s.rhead != s.rtail {
				s.msgLen = s.recvHead().length
			}
		}
	}
	if !info.first && info.class == classWrite && !s.stillAllowed(e) {
		return wire.NAKRemoteAccess
	}
	total := s.msgBytes + p.Length
	if total > s.msgLen || info.last && info.class == classWrite && total != s.msgLen {
		return wire.NAKInvalidRequest
	}
	s.msgClass, s.msgBytes = info.class, total
	return 0
}

// allowed asks the owner of the memory whether a request may touch it. A
// request of no bytes touches nothing (IBA vol. 1, 9.4.3).
func (s *responder) allowed(e *endpoint, a Access, p *Packet) bool {
	return e.cfg.Access == nil || p.DMALen == 0 || e.cfg.Access(e.qpn, a, p.RKey, p.VA, p.DMALen)
}

// stillAllowed asks again for the WRITE under way.
func (s *responder) stillAllowed(e *endpoint) bool {
	return e.cfg.Access == nil || s.msgLen == 0 || e.cfg.Access(e.qpn, AccessRemoteWrite, s.msgRKey, s.msgVA, s.msgLen)
}

// place says where the payload of an assembled packet goes.
func (s *responder) place(p *Packet) Verdict {
	p.Offset = s.msgBytes - p.Length
	if s.msgClass == classWrite {
		p.VA, p.RKey, p.DMALen = s.msgVA, s.msgRKey, s.msgLen
		return PlaceWrite
	}
	p.VA = 0
	if s.rhead != s.rtail {
		p.VA = s.recvHead().id
	}
	return PlaceRecv
}

// deliver finishes a message of so many bytes: a receive that it takes
// completes. The caller knows that there is one.
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
	if s.rhead != s.rtail {
		c.ID = s.recvHead().id
		s.rhead++
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
	if s.rhead != s.rtail {
		b.Completions = append(b.Completions, Completion{ID: s.recvHead().id, QPN: e.qpn, Status: RemInvReqErr, Recv: true})
		s.rhead++
	}
	e.becomeErr()
	return false
}

// failReceive completes the receive of a SEND that it has no room for, or that
// is malformed.
func (s *responder) failReceive(e *endpoint, info *opInfo, b *Batch) {
	if info.class == classSend && s.rhead != s.rtail {
		b.Completions = append(b.Completions, Completion{ID: s.recvHead().id, QPN: e.qpn, Status: LocLenErr, Recv: true})
		s.rhead++
	}
}

// duplicate answers a request that was taken before: a READ is served again,
// anything else is acknowledged again (IBA vol. 1, 9.7.5.1.4).
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

// gap answers a packet behind a missing one: with a NAK, once.
func (s *responder) gap(e *endpoint, now units.Time, b *Batch) Verdict {
	if s.nakked && (e.cfg.NAKInterval == 0 || now < s.nakAt) {
		return Dropped
	}
	s.nakked = true
	s.nakAt = now + e.cfg.NAKInterval
	s.nak(e, wire.NAKSequence, b)
	return Dropped
}

// notReady refuses a packet that needs a receive when there is none. What
// follows it is dropped in silence until it comes again.
func (s *responder) notReady(e *endpoint, b *Batch) Verdict {
	b.Refusals.RNRNAKs++
	s.nakked = true
	s.nakAt = units.Forever
	s.nak(e, wire.RNRNAK(e.cfg.RNRTimer), b)
	return Dropped
}

// ackDue reports whether an acknowledgement is to be sent though no packet asks
// for one.
func (s *responder) ackDue(e *endpoint) bool {
	return s.unacked >= uint32(e.cfg.AckEvery) || s.echo && e.cfg.Marks == MarksAcked
}

// ack acknowledges everything before the expected PSN. Read responses that
// have not gone yet must go before it.
func (s *responder) ack(e *endpoint, b *Batch) {
	s.unacked = 0
	if e.owed&owedReads != 0 {
		e.owed = owedReads | owedAck
		return
	}
	s.answer(e, b.packet(), s.epsn.Add(-1), wire.ACKNoLimit)
}

// nak refuses the expected packet, after the read responses that wait.
func (s *responder) nak(e *endpoint, syndrome wire.Syndrome, b *Batch) {
	s.unacked = 0
	if e.owed&owedReads != 0 {
		e.owed, s.owedSyn = owedReads|owedNAK, syndrome
		return
	}
	s.answer(e, b.packet(), s.epsn, syndrome)
}

// answer makes the empty packet p an acknowledgement of any kind.
func (s *responder) answer(e *endpoint, p *Packet, psn units.PSN, syndrome wire.Syndrome) {
	p.Op, p.Syndrome = wire.RCAcknowledge, syndrome
	p.DestQP, p.SrcQP, p.PSN, p.MSN = e.remote, e.qpn, psn, s.msn
	if s.echo {
		s.echo = false
		p.Flags = FlagCNP
	}
}
