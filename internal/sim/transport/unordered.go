package transport

import (
	"weft/internal/sim/transport/cc"
	"weft/units"
)

// unordered is the state of a queue pair of Ultra Ethernet's reliable unordered
// delivery (RUD; UET specification 1.0, 3.5 and 3.6).
//
// Each packet says where its payload goes and is placed as it comes; a message is
// finished when all of its packets have come, whatever messages before it lack. The
// responder acknowledges what has come when enough of it has, when it is asked, when
// a packet is marked, and when a message is whole. A packet that a switch has
// trimmed comes without its payload and draws a Nack, and that packet alone is sent
// again, as soon as congestion control lets it. What is in flight is what was sent
// and has neither come nor been lost, so that a window is not held up by one packet.
//
// A packet that leaves no trace is taken for lost when others that were sent well
// behind it have come (Config.InferLoss), or by the timeout.
//
// Left out: the establishment of a delivery context and its limit of packets
// (MPR); acknowledgements that request clearing; probes.
type unordered struct {
	entropy entropy
	pending int32     // packets of lost
	arrived uint32    // payload that the peer has, as it last said
	base    units.PSN // una as came, lost and again know it
	high    units.PSN // after the furthest that the peer has
	swept   units.PSN // what is missing before it is known to be lost
	after   units.PSN // what comes from here on was sent after una's packet last was
	seek    units.PSN // nothing before it is lost
	came    reorder   // what the peer has, ahead of una
	lost    reorder   // to be sent again
	again   reorder   // sent again
}

// sprays reports whether delivery is unordered.
func (q *QP) sprays() bool { return q.wants&cc.WantEntropy != 0 }

// nextUnordered emits what is lost, or the next request, and chooses its entropy
// value. It asks for an acknowledgement where the window leaves no room for another
// packet, or is too small ever to draw one (3.6.13.5).
func (q *QP) nextUnordered(now units.Time, p *Packet) {
	u := q.beyond.unordered
	if q.lost {
		q.sendLost(now, p)
	} else {
		q.nextRequest(now, p)
		if !q.windowClosed() && !q.flowClosed() && q.allow.Window >= units.Bytes(q.cfg.ackTrigger()) {
			p.Flags &^= FlagAckReq
		}
	}
	p.EV = u.entropy.next(q.cfg.EntropyValues)
}

// sendLost emits the oldest packet that is lost. It asks for an acknowledgement.
func (q *QP) sendLost(now units.Time, p *Packet) {
	u := q.beyond.unordered
	for !u.lost.take(u.seek) {
		u.seek = u.seek.Add(1)
	}
	u.pending--
	n, _ := q.compose(q.workOf(u.seek), u.seek, p)
	p.Flags |= FlagAckReq
	u.again.mark(q.una, u.seek)
	if u.seek == q.una {
		u.after = q.max
	}
	q.repeated++
	q.flight += units.Bytes(n)
	q.mayRepeat()
	q.pace(now, units.Bytes(n))
}

// mayRepeat decides whether something lost may be sent: not before congestion
// control lets it, but however far the oldest packet lies behind.
func (q *QP) mayRepeat() {
	q.lost = q.beyond.unordered.pending > 0 && q.flight < q.allow.Window && (q.cfg.Window == 0 || q.flight < q.cfg.Window)
}

// receiveSelectiveAck takes an acknowledgement.
func (q *QP) receiveSelectiveAck(now units.Time, p *Packet, b *Batch) Verdict {
	u := q.beyond.unordered
	drawn := units.PSN(p.Imm)
	if !drawn.Before(q.max) || !p.PSN.Before(q.max) {
		return Dropped // a ghost
	}
	fresh := units.Bytes(max(0, int32(p.DMALen-u.arrived)))
	u.arrived += uint32(fresh)
	if q.una.Before(p.PSN.Add(1)) {
		for psn := q.una; u.pending > 0 && psn.Before(p.PSN.Add(1)); psn = psn.Add(1) {
			q.found(psn)
		}
		q.flight += q.advance(p.PSN.Add(1), b) // flight goes by what has come, not by una
		q.forgetUnordered()
	}
	q.flight -= fresh
	if q.una == q.nxt {
		q.flight = 0
	}
	for word, psn := p.VA, drawn&^63; word != 0; word, psn = word>>1, psn.Add(1) {
		if word&1 != 0 {
			q.peerHas(psn)
		}
	}
	q.news(now)
	marked := p.Flags&FlagCNP != 0
	if q.cfg.RecycleEntropy && !marked {
		u.entropy.recycle(p.EV)
	}
	lost := q.inferLoss()
	q.tell(now, cc.Ack{Bytes: fresh, Flight: q.flight, Marked: marked, Lost: lost}, b)
	q.mayRepeat()
	return Taken
}

// news starts the retry timer again: something has come back.
func (q *QP) news(now units.Time) {
	q.progressAt = now
	q.retries = 0
}

// peerHas notes a packet ahead of una that the peer has.
func (q *QP) peerHas(psn units.PSN) {
	u := q.beyond.unordered
	if !q.una.Before(psn) || !psn.Before(q.max) || !u.came.mark(q.una, psn) {
		return
	}
	if u.high.Before(psn.Add(1)) {
		u.high = psn.Add(1)
	}
	q.found(psn)
}

// found has a packet be in flight again that was taken for lost, waits to be sent again,
// and has come: what has come is taken off what is in flight by the peer's sum.
func (q *QP) found(psn units.PSN) {
	u := q.beyond.unordered
	if !q.isLost(psn) {
		return
	}
	u.lost.take(psn)
	u.pending--
	q.flight += q.payloadOf(psn)
}

// payloadOf is the payload of a packet that is not finished.
func (q *QP) payloadOf(psn units.PSN) units.Bytes {
	w, mtu := q.workOf(psn), uint32(q.cfg.PathMTU)
	return units.Bytes(w.bytesTo(psn.Add(1), mtu) - w.bytesTo(psn, mtu))
}

// isLost reports whether a packet in flight waits to be sent again.
func (q *QP) isLost(psn units.PSN) bool { return in(&q.beyond.unordered.lost, q.una, psn) }

// in reports whether a ring that begins at base has psn.
func in(r *reorder, base, psn units.PSN) bool {
	d := psn.Sub(base)
	return d >= 0 && uint32(d) < r.size() && r.has(psn)
}

// forgetUnordered forgets what is known of packets before una.
func (q *QP) forgetUnordered() {
	u := q.beyond.unordered
	for ; u.base.Before(q.una); u.base = u.base.Add(1) {
		u.came.take(u.base)
		u.again.take(u.base)
	}
	for _, p := range []*units.PSN{&u.high, &u.swept, &u.seek} {
		if p.Before(q.una) {
			*p = q.una
		}
	}
	u.after = q.una
	if in(&u.again, q.una, q.una) {
		u.after = q.max
	}
}

// lose takes a packet for lost, unless it is known to be or to have come, and gives
// its payload.
func (q *QP) lose(psn units.PSN) units.Bytes {
	u := q.beyond.unordered
	if in(&u.came, q.una, psn) || q.isLost(psn) {
		return 0
	}
	u.lost.mark(q.una, psn)
	u.pending++
	if psn.Before(u.seek) {
		u.seek = psn
	}
	n := q.payloadOf(psn)
	q.flight -= n
	return n
}

// inferLoss takes for lost what was sent far enough before something that the peer
// has, and gives its payload.
func (q *QP) inferLoss() (lost units.Bytes) {
	u, d := q.beyond.unordered, int32(q.cfg.InferLoss)
	if d == 0 {
		return 0
	}
	for u.high.Sub(u.swept) > d {
		if !in(&u.again, q.una, u.swept) {
			lost += q.lose(u.swept)
		}
		u.swept = u.swept.Add(1)
	}
	if in(&u.again, q.una, q.una) && u.high.Sub(u.after) > d {
		lost += q.lose(q.una)
	}
	return lost
}

// receiveNack takes the word that a packet was trimmed.
func (q *QP) receiveNack(now units.Time, p *Packet, b *Batch) Verdict {
	psn := units.PSN(p.Imm)
	if psn.Before(q.una) || !psn.Before(q.nxt) {
		return Dropped
	}
	q.news(now)
	marked := p.Flags&FlagCNP != 0
	if q.cfg.RecycleEntropy && !marked && p.Flags&FlagLastHop != 0 {
		q.beyond.unordered.entropy.recycle(p.EV) // the last link has no other path, so the path was good
	}
	lost := q.lose(psn)
	q.tell(now, cc.Ack{Flight: q.flight, Marked: marked, Lost: lost, Trimmed: true}, b)
	q.mayRepeat()
	return Taken
}

// allLost is what an expired retry timer does: all in flight that the peer is not
// known to have is lost.
func (q *QP) allLost(now units.Time, b *Batch) {
	u := q.beyond.unordered
	lost := units.Bytes(0)
	for psn := q.una; psn.Before(q.nxt); psn = psn.Add(1) {
		lost += q.lose(psn)
	}
	u.entropy.forget()
	q.tell(now, cc.Ack{Flight: q.flight, Lost: lost}, b)
	q.mayRepeat()
}
