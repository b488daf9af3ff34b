package transport

import (
	"slices"

	"weft/units"
	"weft/wire"
)

// readWork is a READ that the responder serves: a stream of responses that the
// port pulls one by one.
type readWork struct {
	va     uint64
	rkey   uint32
	length uint32
	off    uint32    // sent so far
	psn    units.PSN // of the next response
	msn    uint32
	repeat bool // the request was a duplicate
	atomic bool // one response of no payload, with the value that va holds
}

// setReads makes reads what the responder serves.
func (q *QP) setReads(reads []readWork) {
	q.reads = reads
	q.owed &^= owedReads
	if len(reads) != 0 {
		q.owed |= owedReads
	}
}

// acceptRead takes a READ request that is in order.
func (q *QP) acceptRead(p *Packet, b *Batch) Verdict {
	packets := q.readPackets(p.DMALen)
	if len(q.reads) >= q.cfg.maxServed() {
		q.dropRepeat()
	}
	switch {
	case len(q.reads) >= q.cfg.maxServed() || p.DMALen > MaxMessageBytes || packets > MaxOutstandingPSNs:
		q.abort(wire.NAKInvalidRequest, b)
		return Dropped
	case !q.allowed(AccessRemoteRead, p):
		q.abort(wire.NAKRemoteAccess, b)
		return Dropped
	}
	q.nakked = false
	q.unacked = 0 // the responses acknowledge everything before them
	q.msn = (q.msn + 1) & units.PSNMask
	q.epsn = q.epsn.Add(int32(packets))
	q.setReads(append(q.reads, q.readOf(p)))
	q.owed = owedReads // likewise
	return Taken
}

// readPackets is the number of responses of a READ.
func (q *QP) readPackets(length uint32) uint64 {
	mtu := uint64(q.cfg.PathMTU)
	return max(1, (uint64(length)+mtu-1)/mtu)
}

func (q *QP) readOf(p *Packet) readWork {
	return readWork{va: p.VA, rkey: p.RKey, length: p.DMALen, psn: p.PSN, msn: q.msn}
}

// dropRepeat gives up the oldest READ that is served again. A requester that
// sends one more than may be outstanding has what it needs of an older one: the
// network had doubled the request.
func (q *QP) dropRepeat() {
	i := slices.IndexFunc(q.reads, func(r readWork) bool { return r.repeat })
	if i >= 0 {
		q.setReads(slices.Delete(q.reads, i, i+1))
	}
}

// repeatRead serves a READ again from the PSN that the request names, instead
// of what is left of the first time. READs behind it keep their turn.
func (q *QP) repeatRead(p *Packet) Verdict {
	packets := q.readPackets(p.DMALen)
	if !q.allowed(AccessRemoteRead, p) || uint64(uint32(q.epsn.Sub(p.PSN))&units.PSNMask) < packets {
		return Dropped // it was not the duplicate of anything
	}
	mtu := uint64(q.cfg.PathMTU)
	end := p.PSN.Add(int32(packets))
	kept, at := q.reads[:0], 0
	for _, r := range q.reads {
		if !r.psn.Before(p.PSN) && r.psn.Before(end) {
			continue // the rest of the same READ
		}
		if r.psn.Before(p.PSN) {
			keep := uint64(p.PSN.Sub(r.psn))*mtu + uint64(r.off)
			r.length = uint32(min(uint64(r.length), keep))
			at++
		}
		kept = append(kept, r)
	}
	q.setReads(kept)
	if len(q.reads) >= q.cfg.maxServed() {
		return Dropped
	}
	again := q.readOf(p)
	again.repeat = true
	q.setReads(slices.Insert(q.reads, at, again))
	return Taken
}

// nextResponse emits the next read response, or the acknowledgement that had to wait for
// the last response. Data is paced, an acknowledgement is not.
func (q *QP) nextResponse(p *Packet) (paced bool) {
	if q.owed&owedReads == 0 {
		psn, syndrome := q.epsn.Add(-1), wire.ACKNoLimit
		if q.owed&owedNAK != 0 {
			psn, syndrome = q.epsn, q.owedSyn
		}
		q.owed = 0
		*p = Packet{}
		q.answer(p, psn, syndrome)
		return false
	}
	r := &q.reads[0]
	if r.atomic {
		q.nextAtomicResponse(p)
		return false
	}
	n := min(uint32(q.cfg.PathMTU), r.length-r.off)
	var pos position
	if r.off == 0 {
		pos = posFirst
	}
	if r.off+n == r.length {
		pos |= posLast
	}
	*p = Packet{
		Op: responseOps[pos], DestQP: q.remote, SrcQP: q.qpn, PSN: r.psn, Length: n,
		RKey: r.rkey, DMALen: r.length, Offset: r.off, VA: r.va,
	}
	if pos != 0 {
		p.Syndrome, p.MSN = wire.ACKNoLimit, r.msn
	}
	r.off += n
	r.psn = r.psn.Add(1)
	if pos&posLast != 0 {
		q.setReads(q.reads[:copy(q.reads, q.reads[1:])])
	}
	return true
}

// receiveResponse takes a read response.
func (q *QP) receiveResponse(now units.Time, p *Packet, b *Batch) Verdict {
	if p.PSN.Before(q.una) || !p.PSN.Before(q.max) {
		q.stillResponding(now, p.PSN)
		return Dropped
	}
	before := q.una
	q.advance(p.PSN, b) // a response acknowledges all that precedes its READ
	if q.una != before {
		q.progress(now)
	}
	if q.una != p.PSN {
		q.missingResponse(now, p.PSN, b)
		if q.cfg.Delivery.anyOrder() {
			return q.responseAhead(now, p)
		}
		return Dropped
	}
	w := q.work(q.head)
	if w.op != OpRead {
		return Dropped
	}
	if !q.fits(w, p) {
		q.failHead(BadRespErr, b)
		q.breakOff(b)
		return Dropped
	}
	q.responded(b)
	if q.beyond != nil {
		q.beyond.responses.take(p.PSN)
		q.drainAhead(b)
	}
	q.catchUp()
	q.progress(now)
	return PlaceRead
}

// fits checks a response's length, and says where its payload goes.
func (q *QP) fits(w *sendWork, p *Packet) bool {
	mtu := uint32(q.cfg.PathMTU)
	off := w.bytesTo(p.PSN, mtu)
	p.VA, p.Offset = w.id, off
	return p.Length == min(mtu, w.length-off)
}

// responded moves una over one response of the READ at head.
func (q *QP) responded(b *Batch) {
	w := q.work(q.head)
	q.una = q.una.Add(1)
	if q.una != w.end() {
		return
	}
	q.finish(w, Success, b)
	if q.head != q.cur && q.readsOut > 0 {
		q.readsOut--
	}
	q.head++
	if q.head-q.cur-1 < 1<<31 { // head has overtaken cur
		q.cur = q.head
	}
	if q.locals != 0 {
		q.finishLocals(b)
	}
}
