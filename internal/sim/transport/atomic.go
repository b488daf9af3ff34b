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
func (q *QP) acceptAtomic(p *Packet, b *Batch) Verdict {
	p.DMALen = AtomicBytes
	if len(q.reads) >= q.cfg.maxServed() {
		q.dropRepeat()
	}
	switch {
	case q.msgClass != classNone || p.Length != 0 || q.cfg.Atomic == nil || p.VA%AtomicBytes != 0:
		q.abort(wire.NAKInvalidRequest, b)
		return Dropped
	case len(q.reads) >= q.cfg.maxServed():
		q.abort(wire.NAKInvalidRequest, b)
		return Dropped
	case !q.allowed(AccessRemoteAtomic, p):
		q.abort(wire.NAKRemoteAccess, b)
		return Dropped
	}
	op := OpFetchAdd
	if p.Op == wire.RCCompareSwap {
		op = OpCmpSwap
	}
	q.nakked = false
	q.unacked = 0
	q.msn = (q.msn + 1) & units.PSNMask
	q.epsn = q.epsn.Add(1)
	done := atomicDone{psn: p.PSN, msn: q.msn, original: q.cfg.Atomic(q.qpn, op, p.RKey, p.VA)}
	if q.ahead == nil {
		q.ahead = new(arrivals)
	}
	q.ahead.remember(done, q.cfg.maxServed())
	q.setReads(append(q.reads, done.response()))
	q.owed = owedReads // the response acknowledges everything before it
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
func (q *QP) repeatAtomic(p *Packet) Verdict {
	if q.ahead == nil {
		return Dropped
	}
	i := slices.IndexFunc(q.ahead.atomics, func(d atomicDone) bool { return d.psn == p.PSN })
	waits := slices.ContainsFunc(q.reads, func(r readWork) bool { return r.atomic && r.psn == p.PSN })
	if i < 0 || waits || len(q.reads) >= q.cfg.maxServed() {
		return Dropped
	}
	again := q.ahead.atomics[i].response()
	again.repeat = true
	at := slices.IndexFunc(q.reads, func(r readWork) bool { return p.PSN.Before(r.psn) })
	if at < 0 {
		at = len(q.reads)
	}
	q.setReads(slices.Insert(q.reads, at, again))
	return Taken
}

// nextAtomicResponse emits the response of the atomic that is first in turn.
func (q *QP) nextAtomicResponse(p *Packet) {
	r := &q.reads[0]
	*p = Packet{
		Op: wire.RCAtomicAcknowledge, DestQP: q.remote, SrcQP: q.qpn, PSN: r.psn,
		Syndrome: wire.ACKNoLimit, MSN: r.msn, VA: r.va,
	}
	q.setReads(q.reads[:copy(q.reads, q.reads[1:])])
}

// receiveAtomicResponse takes the answer to an atomic: its original value is
// placed as a READ's response of 8 bytes.
func (q *QP) receiveAtomicResponse(now units.Time, p *Packet, b *Batch) Verdict {
	if p.PSN.Before(q.una) || !p.PSN.Before(q.max) {
		return Dropped
	}
	before := q.una
	q.advance(p.PSN, b)
	if q.una != before {
		q.progress(now)
	}
	if q.una != p.PSN {
		q.missingResponse(now, p.PSN, b)
		return Dropped
	}
	w := q.work(q.head)
	if !w.op.atomic() || p.Syndrome.Kind() != wire.SyndromeACK {
		return Dropped
	}
	p.VA, p.Offset = w.id, 0
	q.responded(b)
	if q.beyond != nil {
		q.drainAhead(b)
	}
	q.catchUp()
	q.progress(now)
	return PlaceAtomic
}
