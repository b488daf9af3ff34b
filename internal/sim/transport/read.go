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
func (s *responder) setReads(e *endpoint, reads []readWork) {
	s.reads = reads
	e.owed &^= owedReads
	if len(reads) != 0 {
		e.owed |= owedReads
	}
}

// acceptRead takes a READ request that is in order.
func (s *responder) acceptRead(e *endpoint, p *Packet, b *Batch) Verdict {
	packets := s.readPackets(e, p.DMALen)
	if len(s.reads) >= e.cfg.maxServed() {
		s.dropRepeat(e)
	}
	switch {
	case len(s.reads) >= e.cfg.maxServed() || p.DMALen > MaxMessageBytes || packets > MaxOutstandingPSNs:
		s.abort(e, wire.NAKInvalidRequest, b)
		return Dropped
	case !s.allowed(e, AccessRemoteRead, p):
		s.abort(e, wire.NAKRemoteAccess, b)
		return Dropped
	}
	s.nakked = false
	s.unacked = 0 // the responses acknowledge everything before them
	s.msn = (s.msn + 1) & units.PSNMask
	s.epsn = s.epsn.Add(int32(packets))
	s.setReads(e, append(s.reads, s.readOf(p)))
	e.owed = owedReads // likewise
	return Taken
}

// readPackets is the number of responses of a READ.
func (s *responder) readPackets(e *endpoint, length uint32) uint64 {
	mtu := uint64(e.cfg.PathMTU)
	return max(1, (uint64(length)+mtu-1)/mtu)
}

func (s *responder) readOf(p *Packet) readWork {
	return readWork{va: p.VA, rkey: p.RKey, length: p.DMALen, psn: p.PSN, msn: s.msn}
}

// dropRepeat gives up the oldest READ that is served again. A requester that
// sends one more than may be outstanding has what it needs of an older one: the
// network had doubled the request.
func (s *responder) dropRepeat(e *endpoint) {
	i := slices.IndexFunc(s.reads, func(r readWork) bool { return r.repeat })
	if i >= 0 {
		s.setReads(e, slices.Delete(s.reads, i, i+1))
	}
}

// repeatRead serves a READ again from the PSN that the request names, instead
// of what is left of the first time. READs behind it keep their turn.
func (s *responder) repeatRead(e *endpoint, p *Packet) Verdict {
	packets := s.readPackets(e, p.DMALen)
	if !s.allowed(e, AccessRemoteRead, p) || uint64(uint32(s.epsn.Sub(p.PSN))&units.PSNMask) < packets {
		return Dropped // it was not the duplicate of anything
	}
	mtu := uint64(e.cfg.PathMTU)
	end := p.PSN.Add(int32(packets))
	kept, at := s.reads[:0], 0
	for _, r := range s.reads {
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
	s.setReads(e, kept)
	if len(s.reads) >= e.cfg.maxServed() {
		return Dropped
	}
	again := s.readOf(p)
	again.repeat = true
	s.setReads(e, slices.Insert(s.reads, at, again))
	return Taken
}

// nextResponse emits the next read response, or the acknowledgement that had to wait for
// the last response. Data is paced, an acknowledgement is not.
func (s *responder) nextResponse(e *endpoint, p *Packet) (paced bool) {
	if e.owed&owedReads == 0 {
		psn, syndrome := s.epsn.Add(-1), wire.ACKNoLimit
		if e.owed&owedNAK != 0 {
			psn, syndrome = s.epsn, s.owedSyn
		}
		e.owed = 0
		*p = Packet{}
		s.answer(e, p, psn, syndrome)
		return false
	}
	r := &s.reads[0]
	if r.atomic {
		s.nextAtomicResponse(e, p)
		return false
	}
	n := min(uint32(e.cfg.PathMTU), r.length-r.off)
	var pos position
	if r.off == 0 {
		pos = posFirst
	}
	if r.off+n == r.length {
		pos |= posLast
	}
	*p = Packet{
		Op: responseOps[pos], DestQP: e.remote, SrcQP: e.qpn, PSN: r.psn, Length: n,
		RKey: r.rkey, DMALen: r.length, Offset: r.off, VA: r.va,
	}
	if pos != 0 {
		p.Syndrome, p.MSN = wire.ACKNoLimit, r.msn
	}
	r.off += n
	r.psn = r.psn.Add(1)
	if pos&posLast != 0 {
		s.setReads(e, s.reads[:copy(s.reads, s.reads[1:])])
	}
	return true
}

// receiveResponse takes a read response.
func (r *requester) receiveResponse(now units.Time, p *Packet, b *Batch) Verdict {
	if p.PSN.Before(r.una) || !p.PSN.Before(r.max) {
		r.stillResponding(now, p.PSN)
		return Dropped
	}
	before := r.una
	r.advance(p.PSN, b) // a response acknowledges all that precedes its READ
	if r.una != before {
		r.progressed(now)
	}
	if r.una != p.PSN {
		r.missingResponse(now, p.PSN, b)
		if r.cfg.Delivery.anyOrder() {
			return r.responseAhead(now, p)
		}
		return Dropped
	}
	w := r.work(r.head)
	if w.op != OpRead {
		return Dropped
	}
	if !r.fits(w, p) {
		r.failHead(BadRespErr, b)
		r.breakOff(b)
		return Dropped
	}
	r.responded(b)
	if r.board != nil {
		r.board.responses.take(p.PSN)
		r.drainAhead(b)
	}
	r.catchUp()
	r.progressed(now)
	return PlaceRead
}

// fits checks a response's length, and says where its payload goes.
func (r *requester) fits(w *sendWork, p *Packet) bool {
	mtu := uint32(r.cfg.PathMTU)
	off := w.bytesTo(p.PSN, mtu)
	p.VA, p.Offset = w.id, off
	return p.Length == min(mtu, w.length-off)
}

// responded moves una over one response of the READ at head.
func (r *requester) responded(b *Batch) {
	w := r.work(r.head)
	r.una = r.una.Add(1)
	if r.una != w.end() {
		return
	}
	r.finish(w, Success, b)
	if r.head != r.cur && r.readsOut > 0 {
		r.readsOut--
	}
	r.head++
	if r.head-r.cur-1 < 1<<31 { // head has overtaken cur
		r.cur = r.head
	}
	if r.locals != 0 {
		r.finishLocals(b)
	}
}
