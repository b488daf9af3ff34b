package transport

import (
	"weft/internal/sim/transport/cc"
	"weft/units"
	"weft/wire"
)

// PostSend appends a work request to the send queue.
func (q *QP) PostSend(now units.Time, wr WorkRequest) error {
	if q.state < StateRTS {
		return ErrState
	}
	if wr.Op.local() {
		return q.postLocal(now, &wr)
	}
	mtu := uint32(q.cfg.PathMTU)
	packets := max(1, (uint64(wr.Length)+uint64(mtu)-1)/uint64(mtu))
	switch {
	case wr.Op >= numOps,
		wr.Op >= OpRead && q.service != RC,
		wr.Op >= OpWrite && q.service == UD,
		wr.Op.asks() && q.sprays():
		return ErrOperation
	case wr.Length > MaxMessageBytes || packets > MaxOutstandingPSNs,
		wr.Op.atomic() && wr.Length != AtomicBytes,
		q.service == UD && packets > 1:
		return ErrTooLong
	}
	if err := q.growSends(); err != nil {
		return err
	}
	w := q.work(q.tail)
	*w = sendWork{
		id: wr.ID, op: wr.Op, length: wr.Length, imm: wr.Imm, packets: uint32(packets), first: q.end,
		va: wr.RemoteVA, rkey: wr.RKey, flags: wr.flags(),
	}
	if q.service == UD {
		w.va, w.rkey = uint64(wr.DestQP), wr.QKey
	}
	if wr.Op.atomic() {
		w.packets = 1
	}
	q.tail++
	q.end = w.end()
	if q.state == StateErr || q.state == StateSQE {
		q.wake = now // Timeout flushes it
	}
	return nil
}

// growSends makes room for one more work request, which is about to be posted.
func (q *QP) growSends() error {
	q.posted = true
	n := uint32(1)
	if q.ringed {
		n = uint32(len(q.sq))
	}
	if q.tail-q.head < n {
		return nil
	}
	if n >= MaxSendQueue {
		return ErrQueueFull
	}
	bigger := make([]sendWork, max(minRing, 2*n))
	for i := q.head; i != q.tail; i++ {
		bigger[i&uint32(len(bigger)-1)] = *q.work(i)
	}
	q.sq, q.ringed = bigger, true
	return nil
}

// begun reports whether a part of the current work request has been sent.
func (q *QP) begun() bool {
	return q.cur != q.tail && q.max.Sub(q.work(q.cur).first) > 0
}

// sendable reports whether the requester has a packet that may go, but for its time and
// for what restrained says. Each packet asks several times: it calls nothing, so that it
// needs no frame.
func (q *QP) sendable() bool {
	if !q.posted {
		return false
	}
	if q.lost && (q.state == StateRTS || q.state == StateSQD) {
		return true
	}
	if q.cur == q.tail || q.state != StateRTS && !(q.state == StateSQD && q.begun()) {
		return false
	}
	if q.locals != 0 && q.work(q.cur).op.local() {
		return false
	}
	if q.service != RC {
		return true
	}
	if q.windowClosed() {
		return false
	}
	w := q.work(q.cur)
	if w.flags&workFence != 0 && q.readsOut != 0 {
		return false
	}
	if !w.op.asks() {
		return true
	}
	return int(q.readsOut) < q.cfg.maxReads() && uint32(w.end().Sub(q.una))&units.PSNMask <= MaxOutstandingPSNs
}

// restrained reports whether flow control, or WRITEs that must arrive first, hold back
// the packet that is sendable. Most configurations have neither.
func (q *QP) restrained() bool {
	return (q.cfg.Flow != nil || q.cfg.Delivery == WriteOnly) && q.heldBack()
}

func (q *QP) heldBack() bool {
	return q.flowClosed() || q.cfg.Delivery == WriteOnly && q.service == RC && !q.lost && q.fenced()
}

// windowClosed reports whether as much is in flight as the configuration and congestion
// control let be. Each packet asks more than once: it is small enough to be inlined, and
// so are flowClosed and restrained.
func (q *QP) windowClosed() bool {
	return q.controlled && q.flight >= q.allow.Window ||
		q.cfg.Window > 0 && q.flight >= q.cfg.Window ||
		q.nxt.Sub(q.una) >= q.cfg.maxPSNs()
}

// nextRequest emits the packet at nxt.
func (q *QP) nextRequest(now units.Time, p *Packet) {
	w := q.work(q.cur)
	n, last := q.compose(w, q.nxt, p)
	switch {
	case q.service != RC:
		q.shapeUnreliable(w, p)
	case w.op.asks():
		q.readsOut++
	}
	if q.una == q.nxt && q.service == RC {
		q.startRetryTimer(now)
	}
	q.nxt = q.nxt.Add(1)
	if w.op == OpRead {
		q.nxt = w.end()
	}
	if last {
		q.cur++
		if q.locals != 0 {
			q.heedLocals(now)
		}
	}
	first := q.max.Before(q.nxt)
	if first {
		q.max = q.nxt
	} else {
		q.repeated++
	}
	if q.cfg.Flow == nil || q.service != RC {
		q.account(now, p, units.Bytes(n))
		return
	}
	f := q.flowing(p.PSN)
	f.sent(p.PSN, q.nxt.Sub(p.PSN))
	q.account(now, p, units.Bytes(n))
	if q.flowClosed() {
		p.Flags |= FlagAckReq
	}
	f.clock(now, p, first)
}

// compose fills p with the packet of a work request that has a PSN, and gives its
// payload; last is whether the request ends with it.
func (q *QP) compose(w *sendWork, psn units.PSN, p *Packet) (n uint32, last bool) {
	mtu := uint32(q.cfg.PathMTU)
	i := uint32(psn.Sub(w.first)) & units.PSNMask
	off := i * mtu
	n = min(mtu, w.length-off)
	var pos position
	if i == 0 {
		pos = posFirst
	}
	if i+1 == w.packets {
		pos |= posLast
	}
	*p = Packet{
		Op: sendOps[w.op][pos], DestQP: q.remote, SrcQP: q.qpn, PSN: psn, Length: n,
		RKey: w.rkey, DMALen: w.length, Offset: off, VA: w.va,
	}
	switch {
	case q.divides(w):
		p.Op = writeOnly(w.op, pos&posLast != 0)
	case w.op == OpRead:
		shapeRead(p)
		n = 0
	case w.op.atomic():
		shapeAtomic(p)
		n = 0
	}
	if pos&posLast == 0 && w.op != OpRead {
		return n, false
	}
	p.Imm = w.imm
	p.Flags = FlagAckReq
	if w.flags&workSolicited != 0 {
		p.Flags |= FlagSolicited
	}
	return n, true
}

// account counts a packet against the windows and the pace.
func (q *QP) account(now units.Time, p *Packet, payload units.Bytes) {
	if q.service == RC {
		q.flight += payload
		if q.controlled && q.allow.Window != cc.Unlimited || q.windowClosed() ||
			q.cfg.AskEvery > 0 && uint32(p.PSN)%uint32(q.cfg.AskEvery) == 0 ||
			q.cfg.Delivery == SelectiveHeld && q.beyond != nil && q.beyond.on {
			p.Flags |= FlagAckReq
		}
	} else {
		p.Flags &^= FlagAckReq
		q.una, q.max = q.nxt, q.nxt // nobody will acknowledge it
		if q.head != q.cur {
			q.wake = now // Timeout reports it
		}
	}
	q.pace(now, payload)
}

// pace puts off the next packet by the wire time of this one at the allowed
// rate, and counts it against the allowance's budget. A packet that went late counts
// from when it could have gone, so that the next makes up for it.
func (q *QP) pace(now units.Time, payload units.Bytes) {
	if !q.controlled {
		return
	}
	if q.allow.Rate > 0 {
		late := min(max(0, now-q.paceAt), q.cfg.PaceSlack)
		q.pacedAt, q.pacedBytes = now-late, uint32(payload+q.cfg.PacedOverhead)
		q.paceAt = q.pacedAt + gap(q.pacedBytes, q.allow.Rate)
	}
	if q.allow.Budget != cc.Unlimited {
		q.allow.Budget -= payload
		if q.allow.Budget <= 0 {
			q.alg.Sent(now, &q.allow)
			q.wake = min(q.wake, q.allow.Wake)
		}
	}
}

// gap is the time that bytes take at a rate.
func gap(bytes uint32, r units.Rate) units.Time {
	return units.Time(int64(bytes) * 8 * int64(units.Second) / int64(r))
}

// repace brings the next packet forward when the allowed rate has risen: a
// limiter that has been let go does not finish the wait that its old rate set.
func (q *QP) repace() {
	switch {
	case q.cfg.KeepPace || q.pacedBytes == 0:
	case q.allow.Rate == 0:
		q.paceAt = q.pacedAt
	default:
		q.paceAt = min(q.paceAt, q.pacedAt+gap(q.pacedBytes, q.allow.Rate))
	}
}

// shapeRead makes p the request for what is missing of a READ.
func shapeRead(p *Packet) {
	p.Op = wire.RCReadRequest
	p.VA += uint64(p.Offset)
	p.DMALen -= p.Offset
	p.Offset, p.Length = 0, 0
}

// receiveAnswer takes the peer's answer to a request.
func (q *QP) receiveAnswer(now units.Time, p *Packet, class opClass, b *Batch) Verdict {
	switch class {
	case classAck:
		return q.receiveAck(now, p, b)
	case classReadResponse:
		return q.receiveResponse(now, p, b)
	case classAtomicResponse:
		return q.receiveAtomicResponse(now, p, b)
	case classSelectiveAck:
		if q.sprays() {
			return q.receiveSelectiveAck(now, p, b)
		}
	case classNack:
		if q.sprays() {
			return q.receiveNack(now, p, b)
		}
	}
	return Dropped
}

// receiveAck takes an acknowledgement of any kind.
func (q *QP) receiveAck(now units.Time, p *Packet, b *Batch) Verdict {
	if p.PSN.Before(q.una) || !p.PSN.Before(q.max) {
		return Dropped // a ghost, or an old one overtaken by a newer
	}
	switch p.Syndrome.Kind() {
	case wire.SyndromeACK:
		q.acknowledge(now, p, p.PSN.Add(1), b)
	case wire.SyndromeRNR:
		q.acknowledge(now, p, p.PSN, b)
		if q.una == p.PSN {
			q.receiverNotReady(now, p.Syndrome.Value(), b)
		}
	case wire.SyndromeNAK:
		q.acknowledge(now, p, p.PSN, b)
		switch {
		case q.una != p.PSN:
		case q.cfg.Delivery.selective() && p.Syndrome == wire.NAKSequence:
			q.refusedAhead(now, units.PSN(p.Imm))
		default:
			q.refused(now, p.Syndrome, b)
		}
	}
	return Taken
}

// acknowledge finishes everything before to, and tells congestion control.
func (q *QP) acknowledge(now units.Time, p *Packet, to units.PSN, b *Batch) {
	before := q.una
	acked := q.advance(to, b)
	if q.beyond != nil {
		acked += q.drainAhead(b)
	}
	if q.una != before {
		q.progress(now)
	}
	if q.una.Before(to) {
		q.missingResponse(now, to, b)
	}
	if q.wants != 0 {
		q.tell(now, cc.Ack{Bytes: acked, Flight: q.flight, Marked: p.Flags&FlagCNP != 0}, b)
	}
}

// tell hands congestion control an acknowledgement, with what the packet that drew
// it has seen.
func (q *QP) tell(now units.Time, a cc.Ack, b *Batch) {
	if s := b.Seen; s != nil {
		a.RTT, a.Hops, a.Path = now-s.Sent, s.Hops, s.Path
	}
	q.alg.Acked(now, a, &q.allow)
	q.wake = min(q.wake, q.allow.Wake)
	q.repace()
}

// advance moves una to the PSN to, but not into a READ, whose responses alone
// acknowledge it. It returns the payload that was acknowledged.
func (q *QP) advance(to units.PSN, b *Batch) (acked units.Bytes) {
	mtu := uint32(q.cfg.PathMTU)
	for q.una.Before(to) {
		w := q.work(q.head)
		if w.op.asks() {
			break
		}
		end := w.end()
		stop := end
		if to.Before(end) {
			stop = to
		}
		acked += units.Bytes(w.bytesTo(stop, mtu) - w.bytesTo(q.una, mtu))
		q.una = stop
		if stop != end {
			break
		}
		q.finish(w, Success, b)
		q.head++
		if q.locals != 0 {
			q.finishLocals(b)
		}
	}
	q.flight -= acked
	q.catchUp()
	return acked
}

// catchUp moves nxt to una when acknowledgements have overtaken a repetition.
func (q *QP) catchUp() {
	if q.nxt.Before(q.una) {
		q.nxt, q.cur, q.flight, q.readsOut = q.una, q.head, 0, 0
	}
}

// finish reports a send work request.
func (q *QP) finish(w *sendWork, status Status, b *Batch) {
	if status == Success && w.flags&workUnsignaled != 0 {
		return
	}
	c := Completion{ID: w.id, QPN: q.qpn, Op: w.op, Status: status}
	if status == Success {
		c.Bytes = w.length
	}
	b.Completions = append(b.Completions, c)
}
