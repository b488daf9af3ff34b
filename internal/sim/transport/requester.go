package transport

import (
	"weft/internal/sim/transport/cc"
	"weft/units"
	"weft/wire"
)

// requester is the half of a queue pair that sends work requests and gets
// acknowledgements. It lies before the responder and so holds the shared endpoint.
//
// After the endpoint and a cache line of congestion control, the fields of every packet
// fill two cache lines: from paceAt to only.
type requester struct {
	endpoint
	congestion
	progress
	board *scoreboard // the requester's record of packets ahead of una
	sendQueue
	flow *flow // flow control, if configured
}

// begin sets the PSN of the first packet, and starts congestion control.
func (r *requester) begin(now units.Time, psn units.PSN) {
	r.una, r.nxt, r.max, r.end, r.ackHigh = psn, psn, psn, psn, psn
	if r.sprays() {
		u := r.board.unordered
		u.base, u.high, u.swept, u.after, u.seek = psn, psn, psn, psn, psn
	}
	if r.controlled {
		r.congestion.start(&r.endpoint, now)
	}
}

// post appends a work request to the send queue.
func (r *requester) post(now units.Time, wr WorkRequest) error {
	if r.state < StateRTS {
		return ErrState
	}
	if wr.Op.local() {
		return r.postLocal(now, &wr)
	}
	packets := r.cfg.packets(wr.Length)
	switch {
	case wr.Op >= numOps,
		wr.Op >= OpRead && r.service != RC,
		wr.Op >= OpWrite && r.service == UD,
		wr.Op.asks() && r.sprays():
		return ErrOperation
	case wr.Length > MaxMessageBytes || packets > MaxOutstandingPSNs,
		wr.Op.atomic() && wr.Length != AtomicBytes,
		r.service == UD && packets > 1:
		return ErrTooLong
	}
	w := sendWork{
		id: wr.ID, op: wr.Op, length: wr.Length, imm: wr.Imm, packets: uint32(packets),
		va: wr.RemoteVA, rkey: wr.RKey, flags: wr.flags(),
	}
	if r.service == UD {
		w.va, w.rkey = uint64(wr.DestQP), wr.QKey
	}
	if wr.Op.atomic() {
		w.packets = 1
	}
	if err := r.enqueue(w); err != nil {
		return err
	}
	if r.state == StateErr || r.state == StateSQE {
		r.wake = now // Timeout flushes it
	}
	return nil
}

// enqueue appends a work request to the send queue.
func (r *requester) enqueue(w sendWork) error {
	r.posted = true
	if err := r.add(w); err != nil {
		return err
	}
	r.overtake()
	return nil
}

// sendable reports whether the requester has a packet to send, apart from its time and from
// restrained. Each packet calls it several times: sendable calls nothing, so that it needs no stack
// frame.
func (r *requester) sendable() bool {
	if !r.posted {
		return false
	}
	if r.lost && (r.state == StateRTS || r.state == StateSQD) {
		return true
	}
	if r.cur == r.tail || r.state != StateRTS && !(r.state == StateSQD && r.begun()) {
		return false
	}
	if r.locals != 0 && r.work(r.cur).op.local() {
		return false
	}
	if r.service != RC {
		return true
	}
	if r.windowClosed() {
		return false
	}
	w := r.work(r.cur)
	if w.flags&workFence != 0 && r.readsOut != 0 {
		return false
	}
	if !w.op.asks() {
		return true
	}
	return int(r.readsOut) < r.cfg.maxReads() && uint32(w.end().Sub(r.una))&units.PSNMask <= MaxOutstandingPSNs
}

// restrained reports whether flow control, or WRITEs that must arrive first, hold back
// the packet that is sendable. Most configurations have neither.
func (r *requester) restrained() bool {
	return (r.cfg.Flow != nil || r.cfg.Delivery == WriteOnly) && r.heldBack()
}

func (r *requester) heldBack() bool {
	return r.flowClosed() || r.cfg.Delivery == WriteOnly && r.service == RC && !r.lost && r.fenced()
}

// windowClosed reports whether the packets in flight fill the windows of the configuration and of
// congestion control. Each packet calls it more than once: windowClosed is small enough to be
// inlined, and so are flowClosed and restrained.
func (r *requester) windowClosed() bool {
	return r.controlled && r.flight >= r.allow.Window ||
		r.cfg.Window > 0 && r.flight >= r.cfg.Window ||
		r.nxt.Sub(r.una) >= r.cfg.maxPSNs()
}

// nextRequest emits the packet at nxt.
func (r *requester) nextRequest(now units.Time, p *Packet) {
	w := r.work(r.cur)
	n, last := r.compose(w, r.nxt, p)
	switch {
	case r.service != RC:
		r.shapeUnreliable(w, p)
	case w.op.asks():
		r.readsOut++
	}
	if r.una == r.nxt && r.service == RC {
		r.startRetryTimer(now)
	}
	r.nxt = r.nxt.Add(1)
	if w.op == OpRead {
		r.nxt = w.end()
	}
	if last {
		r.cur++
		if r.locals != 0 {
			r.heedLocals(now)
		}
	}
	first := r.max.Before(r.nxt)
	if first {
		r.max = r.nxt
	} else {
		r.repeated++
	}
	if last {
		r.overtake()
	}
	if r.cfg.Flow == nil || r.service != RC {
		r.account(now, p, units.Bytes(n))
		return
	}
	f := r.flowing(p.PSN)
	f.sent(p.PSN, r.nxt.Sub(p.PSN))
	r.account(now, p, units.Bytes(n))
	if r.flowClosed() {
		p.Flags |= FlagAckReq
	}
	f.clock(now, p, first)
}

// compose fills p with the packet of a work request that has a PSN, and returns its payload; last
// is true if the request ends with it.
func (r *requester) compose(w *sendWork, psn units.PSN, p *Packet) (n uint32, last bool) {
	mtu := uint32(r.cfg.PathMTU)
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
		Op: sendOps[w.op][pos], DestQP: r.remote, SrcQP: r.qpn, PSN: psn, Length: n,
		RKey: w.rkey, DMALen: w.length, Offset: off, VA: w.va,
	}
	divided := r.divides(w)
	switch {
	case divided:
		p.Op = writeOnly(w.op, pos&posLast != 0)
	case w.op == OpRead:
		shapeRead(p)
		n = 0
	case w.op.atomic():
		shapeAtomic(p)
		n = 0
	}
	if r.cfg.Delivery == WriteOnly && !divided && r.service == RC {
		p.Flags = FlagOrdered
	}
	if pos&posLast == 0 && w.op != OpRead {
		return n, false
	}
	p.Imm = w.imm
	p.Flags |= FlagAckReq
	if w.flags&workSolicited != 0 {
		p.Flags |= FlagSolicited
	}
	return n, true
}

// account counts a packet against the windows and the pace.
func (r *requester) account(now units.Time, p *Packet, payload units.Bytes) {
	if r.service == RC {
		r.flight += payload
		if r.controlled && r.allow.Window != cc.Unlimited || r.windowClosed() ||
			r.cfg.AskEvery > 0 && uint32(p.PSN)%uint32(r.cfg.AskEvery) == 0 ||
			r.cfg.Delivery == SelectiveHeld && r.board != nil && r.board.on {
			p.Flags |= FlagAckReq
		}
	} else {
		p.Flags &^= FlagAckReq
		r.una, r.max = r.nxt, r.nxt // there will be no acknowledgement
		if r.head != r.cur {
			r.wake = now // Timeout reports it
		}
	}
	r.pace(&r.endpoint, now, payload)
}

// shapeRead makes p the request for the missing part of a READ.
func shapeRead(p *Packet) {
	p.Op = wire.RCReadRequest
	p.VA += uint64(p.Offset)
	p.DMALen -= p.Offset
	p.Offset, p.Length = 0, 0
}

// receive handles the peer's answer to a request.
func (r *requester) receive(now units.Time, p *Packet, class opClass, b *Batch) Verdict {
	switch class {
	case classAck:
		return r.receiveAck(now, p, b)
	case classReadResponse:
		return r.receiveResponse(now, p, b)
	case classAtomicResponse:
		return r.receiveAtomicResponse(now, p, b)
	case classSelectiveAck:
		if r.sprays() {
			return r.board.unordered.receiveAck(r, now, p, b)
		}
	case classNack:
		if r.sprays() {
			return r.board.unordered.receiveNack(r, now, p, b)
		}
	}
	return Dropped
}

// receiveAck handles an acknowledgement of any kind.
func (r *requester) receiveAck(now units.Time, p *Packet, b *Batch) Verdict {
	if p.PSN.Before(r.una) || !p.PSN.Before(r.max) {
		return Dropped // a ghost, or overtaken by a newer one
	}
	switch p.Syndrome.Kind() {
	case wire.SyndromeACK:
		r.acknowledge(now, p, p.PSN.Add(1), b)
	case wire.SyndromeRNR:
		r.acknowledge(now, p, p.PSN, b)
		if r.una == p.PSN {
			r.receiverNotReady(now, p.Syndrome.Value(), b)
		}
	case wire.SyndromeNAK:
		r.acknowledge(now, p, p.PSN, b)
		switch {
		case r.una != p.PSN:
		case r.cfg.Delivery.selective() && p.Syndrome == wire.NAKSequence:
			r.scoreboard().refusedAhead(r, now, units.PSN(p.Imm))
		default:
			r.refused(now, p.Syndrome, b)
		}
	}
	return Taken
}

// acknowledge finishes everything before to, and reports it to congestion control.
func (r *requester) acknowledge(now units.Time, p *Packet, to units.PSN, b *Batch) {
	before := r.una
	acked := r.advance(to, b)
	if r.board != nil {
		acked += r.drainAhead(b)
	}
	if r.una != before {
		r.progressed(now)
	}
	if r.una.Before(to) {
		r.missingResponse(now, to, b)
	}
	if r.wants != 0 {
		r.tell(&r.endpoint, now, cc.Ack{Bytes: acked, Flight: r.flight, Marked: p.Flags&FlagCNP != 0}, b.Seen)
	}
}

// advance moves una to the PSN to, but not into a READ, which only its responses acknowledge. It
// returns the acknowledged payload.
func (r *requester) advance(to units.PSN, b *Batch) (acked units.Bytes) {
	mtu := uint32(r.cfg.PathMTU)
	for r.una.Before(to) {
		w := r.work(r.head)
		if w.op.asks() {
			break
		}
		end := w.end()
		stop := end
		if to.Before(end) {
			stop = to
		}
		acked += units.Bytes(w.bytesTo(stop, mtu) - w.bytesTo(r.una, mtu))
		r.una = stop
		if stop != end {
			break
		}
		r.finish(w, Success, b)
		r.head++
		if r.locals != 0 {
			r.finishLocals(b)
		}
	}
	r.flight -= acked
	r.catchUp()
	return acked
}

// catchUp moves nxt to una when acknowledgements have overtaken a repetition.
func (r *requester) catchUp() {
	if r.nxt.Before(r.una) {
		r.nxt, r.cur, r.flight, r.readsOut = r.una, r.head, 0, 0
	}
}

// finish completes a send work request.
func (r *requester) finish(w *sendWork, status Status, b *Batch) {
	if status == Success && w.flags&workUnsignaled != 0 {
		return
	}
	c := Completion{ID: w.id, QPN: r.qpn, Op: w.op, Status: status}
	if status == Success {
		c.Bytes = w.length
	}
	b.Completions = append(b.Completions, c)
}

// outstanding is Outstanding for the requester.
func (r *requester) outstanding() int32 {
	n := r.nxt.Sub(r.una)
	if r.board != nil {
		n -= r.board.known
	}
	return max(0, n)
}
