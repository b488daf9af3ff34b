package transport

import (
	"slices"

	"weft/units"
	"weft/wire"
)

// readWork is a READ that the responder serves: a stream of responses that the port pulls one by
// one.
type readWork struct {
	va     uint64
	rkey   uint32
	length uint32
	off    uint32    // sent so far
	psn    units.PSN // of the next response
	msn    uint32    `state:"number"`
	repeat bool      // the request was a duplicate
	atomic bool      // one response of no payload, with the value that va holds
}

// readQueue is the READs and atomics that a responder serves, in the order of their PSNs.
// The endpoint knows whether there is one: set keeps that current.
type readQueue struct{ reads []readWork }

// set makes reads the queue.
func (q *readQueue) set(e *endpoint, reads []readWork) {
	q.reads = reads
	e.owed &^= owedReads
	if len(reads) != 0 {
		e.owed |= owedReads
	}
}

// clear removes all READs and pending packets.
func (q *readQueue) clear(e *endpoint) { q.reads, e.owed = q.reads[:0], 0 }

// full reports whether the configured maximum is being served.
func (q *readQueue) full(e *endpoint) bool { return len(q.reads) >= e.cfg.maxServed() }

// room reports whether one more request can be served. If the queue is full, it abandons the oldest
// READ that is being repeated: a requester that sends one more than may be outstanding has received
// an older one, and the network had duplicated its request.
func (q *readQueue) room(e *endpoint) bool {
	if !q.full(e) {
		return true
	}
	i := slices.IndexFunc(q.reads, func(r readWork) bool { return r.repeat })
	if i >= 0 {
		q.set(e, slices.Delete(q.reads, i, i+1))
	}
	return !q.full(e)
}

// serve appends a READ. Its responses acknowledge everything before it, so no other acknowledgement
// is pending.
func (q *readQueue) serve(e *endpoint, r readWork) {
	q.reads = append(q.reads, r)
	e.owed = owedReads
}

// repeat serves a READ, or a part of one, again instead of the rest of the first time. READs behind
// it keep their turn.
func (q *readQueue) repeat(e *endpoint, again readWork) Verdict {
	mtu := uint64(e.cfg.PathMTU)
	end := again.psn.Add(int32(e.cfg.packets(again.length)))
	kept, at := q.reads[:0], 0
	for _, r := range q.reads {
		if !r.psn.Before(again.psn) && r.psn.Before(end) {
			continue // the rest of the same READ
		}
		if r.psn.Before(again.psn) {
			keep := uint64(again.psn.Sub(r.psn))*mtu + uint64(r.off)
			r.length = uint32(min(uint64(r.length), keep))
			at++
		}
		kept = append(kept, r)
	}
	q.set(e, kept)
	if q.full(e) {
		return Dropped
	}
	again.repeat = true
	q.set(e, slices.Insert(q.reads, at, again))
	return Taken
}

// repeatAtomic answers an atomic again, unless its answer is still pending.
func (q *readQueue) repeatAtomic(e *endpoint, again readWork) Verdict {
	if q.full(e) || slices.ContainsFunc(q.reads, func(r readWork) bool { return r.atomic && r.psn == again.psn }) {
		return Dropped
	}
	at := slices.IndexFunc(q.reads, func(r readWork) bool { return again.psn.Before(r.psn) })
	if at < 0 {
		at = len(q.reads)
	}
	again.repeat = true
	q.set(e, slices.Insert(q.reads, at, again))
	return Taken
}

// emit fills p with the next response. Data is paced, the answer to an atomic is not.
func (q *readQueue) emit(e *endpoint, p *Packet) (paced bool) {
	r := &q.reads[0]
	if r.atomic {
		q.emitAtomic(e, p)
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
		q.set(e, q.reads[:copy(q.reads, q.reads[1:])])
	}
	return true
}

// emitAtomic emits the response of the first atomic.
func (q *readQueue) emitAtomic(e *endpoint, p *Packet) {
	r := &q.reads[0]
	*p = Packet{
		Op: wire.RCAtomicAcknowledge, DestQP: e.remote, SrcQP: e.qpn, PSN: r.psn,
		Syndrome: wire.ACKNoLimit, MSN: r.msn, VA: r.va,
	}
	q.set(e, q.reads[:copy(q.reads, q.reads[1:])])
}
