package transport

import (
	"weft/units"
	"weft/wire"
)

// acceptRead accepts a READ request in order.
func (s *responder) acceptRead(e *endpoint, p *Packet, b *Batch) Verdict {
	packets := e.cfg.packets(p.DMALen)
	switch {
	case !s.room(e) || p.DMALen > MaxMessageBytes || packets > MaxOutstandingPSNs:
		s.abort(e, wire.NAKInvalidRequest, b)
		return Dropped
	case !e.allowed(AccessRemoteRead, p):
		s.abort(e, wire.NAKRemoteAccess, b)
		return Dropped
	}
	s.pass(int32(packets))
	s.serve(e, s.readOf(p))
	return Taken
}

func (s *responder) readOf(p *Packet) readWork {
	return readWork{va: p.VA, rkey: p.RKey, length: p.DMALen, psn: p.PSN, msn: s.msn}
}

// repeatRead serves a READ again from the PSN in the request.
func (s *responder) repeatRead(e *endpoint, p *Packet) Verdict {
	if !e.allowed(AccessRemoteRead, p) || uint64(uint32(s.epsn.Sub(p.PSN))&units.PSNMask) < e.cfg.packets(p.DMALen) {
		return Dropped // it was not a duplicate
	}
	return s.repeat(e, s.readOf(p))
}

// nextResponse emits the next read response, or the acknowledgement behind the last response. Data
// is paced, an acknowledgement is not.
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
	return s.emit(e, p)
}

// receiveResponse handles a read response.
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
	if !w.fits(p, uint32(r.cfg.PathMTU)) {
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

// fits checks a response's length, and returns the place of its payload.
func (w *sendWork) fits(p *Packet, mtu uint32) bool {
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
