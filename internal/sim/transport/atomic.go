package transport

import (
	"slices"

	"weft/units"
	"weft/wire"
)

// AtomicBytes is the operand size of an atomic, and its alignment (IBA vol. 1, 9.4.5).
const AtomicBytes = 8

// atomicDone stores the answer to an atomic: its duplicate must not execute it again (IBA vol. 1,
// 9.7.5.1.4, and 9.4.5 on the resources for that).
type atomicDone struct {
	psn      units.PSN
	msn      uint32
	original uint64
}

// shapeAtomic makes p the request of an atomic. The sender adds the operands of the work request.
func shapeAtomic(p *Packet) { p.Length, p.DMALen = 0, AtomicBytes }

// acceptAtomic accepts an atomic in order.
func (s *responder) acceptAtomic(e *endpoint, p *Packet, b *Batch) Verdict {
	p.DMALen = AtomicBytes
	switch {
	case s.msg.class != classNone || p.Length != 0 || e.cfg.Atomic == nil || p.VA%AtomicBytes != 0 || !s.room(e):
		s.abort(e, wire.NAKInvalidRequest, b)
		return Dropped
	case !e.allowed(AccessRemoteAtomic, p):
		s.abort(e, wire.NAKRemoteAccess, b)
		return Dropped
	}
	op := OpFetchAdd
	if p.Op == wire.RCCompareSwap {
		op = OpCmpSwap
	}
	s.pass(1)
	done := atomicDone{psn: p.PSN, msn: s.msn, original: e.cfg.Atomic(e.qpn, op, p.RKey, p.VA)}
	if s.ahead == nil {
		s.ahead = new(arrivals)
	}
	s.ahead.remember(done, e.cfg.maxServed())
	s.serve(e, done.response())
	return Taken
}

// remember stores the answer to an atomic, for the last most ones.
func (r *arrivals) remember(d atomicDone, most int) {
	if len(r.atomics) >= most {
		r.atomics = slices.Delete(r.atomics, 0, 1)
	}
	r.atomics = append(r.atomics, d)
}

func (d *atomicDone) response() readWork {
	return readWork{atomic: true, psn: d.psn, msn: d.msn, va: d.original}
}

// repeatAtomic answers a duplicate with the first result.
func (s *responder) repeatAtomic(e *endpoint, p *Packet) Verdict {
	if s.ahead == nil {
		return Dropped
	}
	i := slices.IndexFunc(s.ahead.atomics, func(d atomicDone) bool { return d.psn == p.PSN })
	if i < 0 {
		return Dropped
	}
	return s.readQueue.repeatAtomic(e, s.ahead.atomics[i].response())
}

// receiveAtomicResponse handles the answer to an atomic: its original value is placed as a READ's
// response of 8 bytes.
func (r *requester) receiveAtomicResponse(now units.Time, p *Packet, b *Batch) Verdict {
	if p.PSN.Before(r.una) || !p.PSN.Before(r.max) {
		return Dropped
	}
	before := r.una
	r.advance(p.PSN, b)
	if r.una != before {
		r.progressed(now)
	}
	if r.una != p.PSN {
		r.missingResponse(now, p.PSN, b)
		return Dropped
	}
	w := r.work(r.head)
	if !w.op.atomic() || p.Syndrome.Kind() != wire.SyndromeACK {
		return Dropped
	}
	p.VA, p.Offset = w.id, 0
	r.responded(b)
	if r.board != nil {
		r.drainAhead(b)
	}
	r.catchUp()
	r.progressed(now)
	return PlaceAtomic
}
