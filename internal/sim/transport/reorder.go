package transport

import (
	"weft/units"
	"weft/wire"
)

// reorder remembers the packets that came ahead of an expected one: a ring of bits.
type reorder struct{ bits []uint64 }

// arrivals is a responder's record of requests other than the expected one.
type arrivals struct {
	reorder              // requests that came ahead of it
	late    []Packet     // requests among them with effects beyond their payload
	atomics []atomicDone // the last executed atomics

	// Unordered delivery.
	taken    uint32 // payload that has arrived for the first time, modulo 2^32
	reported uint32 // value of taken at the last acknowledgement
	open     []openMessage
}

// size is the number of packets that the ring spans.
func (r *reorder) size() uint32 { return uint32(len(r.bits)) * 64 }

// has reports whether psn came.
func (r *reorder) has(psn units.PSN) bool {
	i := uint32(psn) & (r.size() - 1)
	return r.bits[i/64]&(1<<(i%64)) != 0
}

func (r *reorder) set(psn units.PSN) {
	i := uint32(psn) & (r.size() - 1)
	r.bits[i/64] |= 1 << (i % 64)
}

// mark records that psn arrived ahead of base, and returns true if that is new. A PSN too far ahead
// is not recorded.
func (r *reorder) mark(base, psn units.PSN) bool {
	d := uint32(psn.Sub(base))
	if d >= MaxReorder {
		return false
	}
	if d >= r.size() {
		r.grow(base, d)
	}
	if r.has(psn) {
		return false
	}
	r.set(psn)
	return true
}

// grow makes the ring span more than d packets.
func (r *reorder) grow(base units.PSN, d uint32) {
	n := max(minReorder, r.size())
	for n <= d {
		n *= 2
	}
	bigger := reorder{bits: make([]uint64, n/64)}
	for i := range r.size() {
		if psn := base.Add(int32(i)); r.has(psn) {
			bigger.set(psn)
		}
	}
	r.bits = bigger.bits
}

// take removes psn, and reports whether it had arrived.
func (r *reorder) take(psn units.PSN) bool {
	if r.size() == 0 || !r.has(psn) {
		return false
	}
	i := uint32(psn) & (r.size() - 1)
	r.bits[i/64] &^= 1 << (i % 64)
	return true
}

// event removes and returns the kept packet of psn.
func (r *arrivals) event(psn units.PSN) (p Packet, ok bool) {
	for i := range r.late {
		if r.late[i].PSN == psn {
			p = r.late[i]
			last := len(r.late) - 1
			r.late[i] = r.late[last]
			r.late = r.late[:last]
			return p, true
		}
	}
	return p, false
}

// placeAhead handles a request ahead of the expected one.
func (s *responder) placeAhead(e *endpoint, p *Packet, info *opInfo) Verdict {
	if s.ahead == nil {
		s.ahead = new(arrivals)
	}
	if info.class == classWrite && info.first && !e.allowed(AccessRemoteWrite, p) {
		return Dropped // it will be refused in its turn
	}
	if !s.ahead.mark(s.epsn, p.PSN) {
		return Dropped
	}
	if s.ends(e, p, info) || p.Flags&FlagAckReq != 0 {
		s.ahead.late = append(s.ahead.late, *p)
	}
	return placed(info)
}

// placed is the verdict on a packet that carries the address of its payload.
func placed(info *opInfo) Verdict {
	switch info.class {
	case classWrite:
		return PlaceWrite
	case classSend:
		return PlaceRecv
	}
	return Taken
}

// receiveAnyOrder accepts the expected request, and then the requests ahead of it that are now
// expected.
func (s *responder) receiveAnyOrder(e *endpoint, p *Packet, info *opInfo, b *Batch) Verdict {
	if info.class == classWrite && info.first && !e.allowed(AccessRemoteWrite, p) {
		s.abort(e, wire.NAKRemoteAccess, b)
		return Dropped
	}
	asked, ok := s.inTurn(e, p, info, b)
	if !ok {
		return Dropped
	}
	for s.ahead != nil && e.state != StateErr && s.ahead.take(s.epsn) {
		if late, found := s.ahead.event(s.epsn); found {
			a, ok := s.inTurn(e, &late, &ops[late.Op], b)
			asked = asked || a
			if !ok {
				return placed(info)
			}
			continue
		}
		s.step(e)
	}
	if asked || s.ackDue(e) {
		s.ack(e, b)
	}
	return placed(info)
}

// inTurn accepts a request in its turn; asked reports whether the request requests an
// acknowledgement.
func (s *responder) inTurn(e *endpoint, p *Packet, info *opInfo, b *Batch) (asked, ok bool) {
	switch info.class {
	case classReadRequest:
		return false, s.acceptRead(e, p, b) == Taken
	case classAtomic:
		return false, s.acceptAtomic(e, p, b) == Taken
	}
	ends := s.ends(e, p, info)
	if ends && (info.class == classSend || info.imm) && !s.hasRecv(e) {
		s.notReady(e, b)
		return false, false
	}
	s.step(e)
	if ends {
		if info.inv && !s.invalidated(e, p, b) {
			return false, false
		}
		s.deliver(e, p, info, p.Offset+p.Length, b)
	}
	return ends || p.Flags&FlagAckReq != 0, true
}

// responseAhead handles a read response that arrived early.
func (r *requester) responseAhead(now units.Time, p *Packet) Verdict {
	for i := r.head; i != r.tail; i++ {
		w := r.work(i)
		if p.PSN.Before(w.first) {
			break
		}
		if !p.PSN.Before(w.end()) {
			continue
		}
		if w.op != OpRead || !w.fits(p, uint32(r.cfg.PathMTU)) {
			break
		}
		if !r.scoreboard().responses.mark(r.una, p.PSN) {
			break
		}
		if r.cfg.Flow != nil {
			r.flow.arrived(now, p.PSN, 1)
			r.wake = min(r.wake, r.retryAt()) // the wait may have become shorter
		}
		r.unanswered(p.PSN)
		return PlaceRead
	}
	return Dropped
}

// drainAhead moves una over the early arrivals: read responses, and the remembered acknowledgement.
// It returns the acknowledged payload.
func (r *requester) drainAhead(b *Batch) (acked units.Bytes) {
	for r.head != r.tail {
		if r.work(r.head).op.asks() {
			if !r.board.responses.take(r.una) {
				return acked
			}
			r.board.drained++
			r.responded(b)
			r.catchUp()
			continue
		}
		if !r.una.Before(r.ackHigh) {
			break
		}
		acked += r.advance(r.ackHigh, b)
	}
	return acked
}
