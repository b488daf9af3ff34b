package transport

import (
	"slices"

	"weft/units"
	"weft/wire"
)

// AtomicBytes is what an atomic works on, aligned to as many (IBA vol. 1, 9.4.5).
const AtomicBytes = 8

// atomicDone remembers the answer to an atomic: its duplicate must not do it
// again (IBA vol. 1, 9.7.5.1.4, and 9.4.5 on the resources for that).
type atomicDone struct {
	psn      units.PSN
	msn      uint32
	original uint64
}

// shapeAtomic makes p the request of an atomic. Who sends it adds the operands
// of the work request.
func shapeAtomic(p *Packet) { p.Length, p.DMALen = 0, AtomicBytes }

// acceptAtomic takes an atomic that is in order.
func (s *responder) acceptAtomic(e *endpoint, p *Packet, b *Batch) Verdict {
	p.DMALen = AtomicBytes
	if len(s.reads) >= e.cfg.maxServed() {
		s.dropRepeat(e)
	}
	switch {
	case s.msgClass != classNone || p.Length != 0 || e.cfg.Atomic == nil || p.VA%AtomicBytes != 0:
		s.abort(e, wire.NAKInvalidRequest, b)
		return Dropped
	case len(s.reads) >= e.cfg.maxServed():
		s.abort(e, wire.NAKInvalidRequest, b)
		return Dropped
	case !s.allowed(e, AccessRemoteAtomic, p):
		s.abort(e, wire.NAKRemoteAccess, b)
		return Dropped
	}
	op := OpFetchAdd
	if p.Op == wire.RCCompareSwap {
		op = OpCmpSwap
	}
	s.nakked = false
	s.unacked = 0
	s.msn = (s.msn + 1) & units.PSNMask
	s.epsn = s.epsn.Add(1)
	done := atomicDone{psn: p.PSN, msn: s.msn, original: e.cfg.Atomic(e.qpn, op, p.RKey, p.VA)}
	if s.ahead == nil {
		s.ahead = new(arrivals)
	}
	s.ahead.remember(done, e.cfg.maxServed())
	s.setReads(e, append(s.reads, done.response()))
	e.owed = owedReads // the response acknowledges everything before it
	return Taken
}

// remember keeps the answer to an atomic, of the last most ones.
func (r *arrivals) remember(d atomicDone, most int) {
	if len(r.atomics) >= most {
		r.atomics = slices.Delete(r.atomics, 0, 1)
	}
	r.atomics = append(r.atomics, d)
}

func (d *atomicDone) response() readWork {
	return readWork{atomic: true, psn: d.psn, msn: d.msn, va: d.original}
}

// repeatAtomic answers a duplicate with what the first time gave.
func (s *responder) repeatAtomic(e *endpoint, p *Packet) Verdict {
	if s.ahead == nil {
		return Dropped
	}
	i := slices.IndexFunc(s.ahead.atomics, func(d atomicDone) bool { return d.psn == p.PSN })
	waits := slices.ContainsFunc(s.reads, func(r readWork) bool { return r.atomic && r.psn == p.PSN })
	if i < 0 || waits || len(s.reads) >= e.cfg.maxServed() {
		return Dropped
	}
	again := s.ahead.atomics[i].response()
	again.repeat = true
	at := slices.IndexFunc(s.reads, func(r readWork) bool { return p.PSN.Before(r.psn) })
	if at < 0 {
		at = len(s.reads)
	}
	s.setReads(e, slices.Insert(s.reads, at, again))
	return Taken
}

// nextAtomicResponse emits the response of the atomic that is first in turn.
func (s *responder) nextAtomicResponse(e *endpoint, p *Packet) {
	r := &s.reads[0]
	*p = Packet{
		Op: wire.RCAtomicAcknowledge, DestQP: e.remote, SrcQP: e.qpn, PSN: r.psn,
		Syndrome: wire.ACKNoLimit, MSN: r.msn, VA: r.va,
	}
	s.setReads(e, s.reads[:copy(s.reads, s.reads[1:])])
}

// receiveAtomicResponse takes the answer to an atomic: its original value is
// placed as a READ's response of 8 bytes.
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
