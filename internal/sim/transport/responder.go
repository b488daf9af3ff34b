package transport

import (
	"weft/units"
	"weft/wire"
)

// PostRecv appends a receive to the receive queue.
func (q *QP) PostRecv(now units.Time, r RecvRequest) error {
	if q.state == StateReset {
		return ErrState
	}
	n := uint32(len(q.rq))
	if q.rtail-q.rhead == n {
		if n >= MaxRecvQueue {
			return ErrQueueFull
		}
		bigger := make([]recvWork, max(minRing, 2*n))
		for i := q.rhead; i != q.rtail; i++ {
			bigger[i&uint32(len(bigger)-1)] = q.rq[i&(n-1)]
		}
		q.rq = bigger
	}
	q.rq[q.rtail&uint32(len(q.rq)-1)] = recvWork{id: r.ID, length: r.Length}
	q.rtail++
	if q.state == StateErr {
		q.wake = now // Timeout flushes it
	}
	return nil
}

// recvHead is the oldest posted receive; the caller knows that there is one.
func (q *QP) recvHead() recvWork { return q.rq[q.rhead&uint32(len(q.rq)-1)] }

// receiveRequest takes a request of a connected service.
func (q *QP) receiveRequest(now units.Time, p *Packet, info *opInfo, b *Batch) Verdict {
	switch {
	case q.service == UC:
		return q.receiveUC(p, info, b)
	case q.sprays():
		return q.receiveUnordered(p, info, b)
	}
	return q.receiveRC(now, p, info, b)
}

// receiveRC takes a request of RC in its order.
func (q *QP) receiveRC(now units.Time, p *Packet, info *opInfo, b *Batch) Verdict {
	if d := p.PSN.Sub(q.epsn); d != 0 {
		switch {
		case d < 0:
			return q.duplicate(p, info, b)
		case q.cfg.Delivery == SelectiveHeld:
			q.reportAhead(p.PSN, b)
			return Held
		case q.cfg.Delivery.placesAhead():
			v := q.placeAhead(p, info)
			if q.cfg.Delivery == Selective {
				q.reportAhead(p.PSN, b)
			}
			return v
		default:
			return q.gap(now, b)
		}
	}
	if q.cfg.Delivery.placesAhead() {
		return q.receiveAnyOrder(p, info, b)
	}
	if info.class == classReadRequest {
		if q.msgClass != classNone {
			q.abort(wire.NAKInvalidRequest, b)
			return Dropped
		}
		return q.acceptRead(p, b)
	}
	if info.class == classAtomic {
		return q.acceptAtomic(p, b)
	}
	if needsRecv(info) && !q.hasRecv() {
		return q.notReady(b)
	}
	if syndrome := q.assemble(p, info); syndrome != 0 {
		q.failReceive(info, b)
		q.abort(syndrome, b)
		return Dropped
	}
	q.step()
	v := q.place(p)
	if info.last {
		if info.inv && !q.invalidated(p, b) {
			return Dropped
		}
		q.deliver(p, info, q.msgBytes, b)
		q.msgClass = classNone
	}
	if info.last || p.Flags&FlagAckReq != 0 || q.ackDue() {
		q.ack(b)
	}
	return v
}

// step expects the next packet, now that one has come in its turn.
func (q *QP) step() {
	q.epsn = q.epsn.Add(1)
	q.unacked++
	q.nakked = false
	if q.owed&owedNAK != 0 {
		q.owed = owedReads | owedAck
	}
}

// needsRecv reports whether the packet takes a receive: a SEND when it begins,
// a WRITE with immediate data when it ends.
func needsRecv(info *opInfo) bool {
	return info.class == classSend && info.first || info.class == classWrite && info.imm
}

// hasRecv reports whether a receive is there to be taken.
func (q *QP) hasRecv() bool { return q.rhead != q.rtail || q.cfg.ImplicitRecv }

// WantsRecv reports whether p would take a receive now and none is posted: who
// shares receives between queue pairs posts one before Receive.
func (q *QP) WantsRecv(p *Packet) bool {
	info := &ops[p.Op]
	inTurn := p.PSN == q.epsn || q.service != RC
	return inTurn && q.rhead == q.rtail && q.state >= StateRTR && q.state < StateErr &&
		(needsRecv(info) && info.svc == q.service || info.class == classDatagram && q.service == UD)
}

// assemble checks a packet that is in order against its message, and adds it;
// it returns the NAK that the packet deserves, or 0.
func (q *QP) assemble(p *Packet, info *opInfo) (syndrome wire.Syndrome) {
	mtu := uint32(q.cfg.PathMTU)
	if info.first != (q.msgClass == classNone) || !info.first && info.class != q.msgClass {
		return wire.NAKInvalidRequest
	}
	if p.Length > mtu || !info.last && p.Length != mtu {
		return wire.NAKInvalidRequest
	}
	if info.first {
		q.msgBytes = 0
		if info.class == classWrite {
			if !q.allowed(AccessRemoteWrite, p) {
				return wire.NAKRemoteAccess
			}
			q.msgVA, q.msgRKey, q.msgLen = p.VA, p.RKey, p.DMALen
		} else {
			q.msgLen = MaxMessageBytes
			if q.rhead != q.rtail {
				q.msgLen = q.recvHead().length
			}
		}
	}
	if !info.first && info.class == classWrite && !q.stillAllowed() {
		return wire.NAKRemoteAccess
	}
	total := q.msgBytes + p.Length
	if total > q.msgLen || info.last && info.class == classWrite && total != q.msgLen {
		return wire.NAKInvalidRequest
	}
	q.msgClass, q.msgBytes = info.class, total
	return 0
}

// allowed asks the owner of the memory whether a request may touch it. A
// request of no bytes touches nothing (IBA vol. 1, 9.4.3).
func (q *QP) allowed(a Access, p *Packet) bool {
	return q.cfg.Access == nil || p.DMALen == 0 || q.cfg.Access(q.qpn, a, p.RKey, p.VA, p.DMALen)
}

// stillAllowed asks again for the WRITE under way.
func (q *QP) stillAllowed() bool {
	return q.cfg.Access == nil || q.msgLen == 0 || q.cfg.Access(q.qpn, AccessRemoteWrite, q.msgRKey, q.msgVA, q.msgLen)
}

// place says where the payload of an assembled packet goes.
func (q *QP) place(p *Packet) Verdict {
	p.Offset = q.msgBytes - p.Length
	if q.msgClass == classWrite {
		p.VA, p.RKey, p.DMALen = q.msgVA, q.msgRKey, q.msgLen
		return PlaceWrite
	}
	p.VA = 0
	if q.rhead != q.rtail {
		p.VA = q.recvHead().id
	}
	return PlaceRecv
}

// deliver finishes a message of so many bytes: a receive that it takes
// completes. The caller knows that there is one.
func (q *QP) deliver(p *Packet, info *opInfo, bytes uint32, b *Batch) {
	q.msn = (q.msn + 1) & units.PSNMask
	if info.class == classWrite && !info.imm {
		return
	}
	c := Completion{QPN: q.qpn, Bytes: bytes, Recv: true, Op: OpSend}
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
	if q.rhead != q.rtail {
		c.ID = q.recvHead().id
		q.rhead++
	}
	b.Completions = append(b.Completions, c)
}

// invalidated makes the key stale that a SEND names. A peer that may not ask for
// that gets no answer: its SEND, which the receive reports, ends the connection (IBA
// vol. 1, 9.9.3: class J).
func (q *QP) invalidated(p *Packet, b *Batch) bool {
	if q.cfg.Invalidate == nil || q.cfg.Invalidate(q.qpn, p.Imm) {
		return true
	}
	if q.rhead != q.rtail {
		b.Completions = append(b.Completions, Completion{ID: q.recvHead().id, QPN: q.qpn, Status: RemInvReqErr, Recv: true})
		q.rhead++
	}
	q.becomeErr()
	return false
}

// failReceive completes the receive of a SEND that it has no room for, or that
// is malformed.
func (q *QP) failReceive(info *opInfo, b *Batch) {
	if info.class == classSend && q.rhead != q.rtail {
		b.Completions = append(b.Completions, Completion{ID: q.recvHead().id, QPN: q.qpn, Status: LocLenErr, Recv: true})
		q.rhead++
	}
}

// duplicate answers a request that was taken before: a READ is served again,
// anything else is acknowledged again (IBA vol. 1, 9.7.5.1.4).
func (q *QP) duplicate(p *Packet, info *opInfo, b *Batch) Verdict {
	if info.class == classReadRequest {
		return q.repeatRead(p)
	}
	if info.class == classAtomic {
		return q.repeatAtomic(p)
	}
	q.unacked++
	if p.Flags&FlagAckReq != 0 || q.cfg.Duplicates == DuplicatesAcked || q.cfg.Duplicates == DuplicatesCounted && q.unacked >= uint32(q.cfg.AckEvery) {
		q.ack(b)
	}
	return Dropped
}

// gap answers a packet behind a missing one: with a NAK, once.
func (q *QP) gap(now units.Time, b *Batch) Verdict {
	if q.nakked && (q.cfg.NAKInterval == 0 || now < q.nakAt) {
		return Dropped
	}
	q.nakked = true
	q.nakAt = now + q.cfg.NAKInterval
	q.nak(wire.NAKSequence, b)
	return Dropped
}

// notReady refuses a packet that needs a receive when there is none. What
// follows it is dropped in silence until it comes again.
func (q *QP) notReady(b *Batch) Verdict {
	b.Refusals.RNRNAKs++
	q.nakked = true
	q.nakAt = units.Forever
	q.nak(wire.RNRNAK(q.cfg.RNRTimer), b)
	return Dropped
}

// ackDue reports whether an acknowledgement is to be sent though no packet asks
// for one.
func (q *QP) ackDue() bool {
	return q.unacked >= uint32(q.cfg.AckEvery) || q.echo && q.cfg.Marks == MarksAcked
}

// ack acknowledges everything before the expected PSN. Read responses that
// have not gone yet must go before it.
func (q *QP) ack(b *Batch) {
	q.unacked = 0
	if q.owed&owedReads != 0 {
		q.owed = owedReads | owedAck
		return
	}
	q.answer(b.packet(), q.epsn.Add(-1), wire.ACKNoLimit)
}

// nak refuses the expected packet, after the read responses that wait.
func (q *QP) nak(syndrome wire.Syndrome, b *Batch) {
	q.unacked = 0
	if q.owed&owedReads != 0 {
		q.owed, q.owedSyn = owedReads|owedNAK, syndrome
		return
	}
	q.answer(b.packet(), q.epsn, syndrome)
}

// answer makes the empty packet p an acknowledgement of any kind.
func (q *QP) answer(p *Packet, psn units.PSN, syndrome wire.Syndrome) {
	p.Op, p.Syndrome = wire.RCAcknowledge, syndrome
	p.DestQP, p.SrcQP, p.PSN, p.MSN = q.remote, q.qpn, psn, q.msn
	if q.echo {
		q.echo = false
		p.Flags = FlagCNP
	}
}
