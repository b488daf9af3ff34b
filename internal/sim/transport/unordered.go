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
func (e *endpoint) sprays() bool { return e.wants&cc.WantEntropy != 0 }

// nextUnordered emits what is lost, or the next request, and chooses its entropy
// value. It asks for an acknowledgement where the window leaves no room for another
// packet, or is too small ever to draw one (3.6.13.5).
func (r *requester) nextUnordered(now units.Time, p *Packet) {
	u := r.beyond.unordered
	if r.lost {
		r.sendLost(now, p)
	} else {
		r.nextRequest(now, p)
		if !r.windowClosed() && !r.flowClosed() && r.allow.Window >= units.Bytes(r.cfg.ackTrigger()) {
			p.Flags &^= FlagAckReq
		}
	}
	p.EV = u.entropy.next(r.cfg.EntropyValues)
}

// sendLost emits the oldest packet that is lost. It asks for an acknowledgement.
func (r *requester) sendLost(now units.Time, p *Packet) {
	u := r.beyond.unordered
	for !u.lost.take(u.seek) {
		u.seek = u.seek.Add(1)
	}
	u.pending--
	n, _ := r.compose(r.workOf(u.seek), u.seek, p)
	p.Flags |= FlagAckReq
	u.again.mark(r.una, u.seek)
	if u.seek == r.una {
		u.after = r.max
	}
	r.repeated++
	r.flight += units.Bytes(n)
	r.mayRepeat()
	r.pace(now, units.Bytes(n))
}

// mayRepeat decides whether something lost may be sent: not before congestion
// control lets it, but however far the oldest packet lies behind.
func (r *requester) mayRepeat() {
	r.lost = r.beyond.unordered.pending > 0 && r.flight < r.allow.Window && (r.cfg.Window == 0 || r.flight < r.cfg.Window)
}

// receiveSelectiveAck takes an acknowledgement.
func (r *requester) receiveSelectiveAck(now units.Time, p *Packet, b *Batch) Verdict {
	u := r.beyond.unordered
	drawn := units.PSN(p.Imm)
	if !drawn.Before(r.max) || !p.PSN.Before(r.max) {
		return Dropped // a ghost
	}
	fresh := units.Bytes(max(0, int32(p.DMALen-u.arrived)))
	u.arrived += uint32(fresh)
	if r.una.Before(p.PSN.Add(1)) {
		for psn := r.una; u.pending > 0 && psn.Before(p.PSN.Add(1)); psn = psn.Add(1) {
			r.found(psn)
		}
		r.flight += r.advance(p.PSN.Add(1), b) // flight goes by what has come, not by una
		r.forgetUnordered()
	}
	r.flight -= fresh
	if r.una == r.nxt {
		r.flight = 0
	}
	for word, psn := p.VA, drawn&^63; word != 0; word, psn = word>>1, psn.Add(1) {
		if word&1 != 0 {
			r.peerHas(psn)
		}
	}
	r.news(now)
	marked := p.Flags&FlagCNP != 0
	if r.cfg.RecycleEntropy && !marked {
		u.entropy.recycle(p.EV)
	}
	lost := r.inferLoss()
	r.tell(now, cc.Ack{Bytes: fresh, Flight: r.flight, Marked: marked, Lost: lost}, b)
	r.mayRepeat()
	return Taken
}

// news starts the retry timer again: something has come back.
func (r *requester) news(now units.Time) {
	r.progressAt = now
	r.retries = 0
}

// peerHas notes a packet ahead of una that the peer has.
func (r *requester) peerHas(psn units.PSN) {
	u := r.beyond.unordered
	if !r.una.Before(psn) || !psn.Before(r.max) || !u.came.mark(r.una, psn) {
		return
	}
	if u.high.Before(psn.Add(1)) {
		u.high = psn.Add(1)
	}
	r.found(psn)
}

// found has a packet be in flight again that was taken for lost, waits to be sent again,
// and has come: what has come is taken off what is in flight by the peer's sum.
func (r *requester) found(psn units.PSN) {
	u := r.beyond.unordered
	if !r.isLost(psn) {
		return
	}
	u.lost.take(psn)
	u.pending--
	r.flight += r.payloadOf(psn)
}

// payloadOf is the payload of a packet that is not finished.
func (r *requester) payloadOf(psn units.PSN) units.Bytes {
	w, mtu := r.workOf(psn), uint32(r.cfg.PathMTU)
	return units.Bytes(w.bytesTo(psn.Add(1), mtu) - w.bytesTo(psn, mtu))
}

// isLost reports whether a packet in flight waits to be sent again.
func (r *requester) isLost(psn units.PSN) bool { return in(&r.beyond.unordered.lost, r.una, psn) }

// in reports whether a ring that begins at base has psn.
func in(r *reorder, base, psn units.PSN) bool {
	d := psn.Sub(base)
	return d >= 0 && uint32(d) < r.size() && r.has(psn)
}

// forgetUnordered forgets what is known of packets before una.
func (r *requester) forgetUnordered() {
	u := r.beyond.unordered
	for ; u.base.Before(r.una); u.base = u.base.Add(1) {
		u.came.take(u.base)
		u.again.take(u.base)
	}
	for _, p := range []*units.PSN{&u.high, &u.swept, &u.seek} {
		if p.Before(r.una) {
			*p = r.una
		}
	}
	u.after = r.una
	if in(&u.again, r.una, r.una) {
		u.after = r.max
	}
}

// lose takes a packet for lost, unless it is known to be or to have come, and gives
// its payload.
func (r *requester) lose(psn units.PSN) units.Bytes {
	u := r.beyond.unordered
	if in(&u.came, r.una, psn) || r.isLost(psn) {
		return 0
	}
	u.lost.mark(r.una, psn)
	u.pending++
	if psn.Before(u.seek) {
		u.seek = psn
	}
	n := r.payloadOf(psn)
	r.flight -= n
	return n
}

// inferLoss takes for lost what was sent far enough before something that the peer
// has, and gives its payload.
func (r *requester) inferLoss() (lost units.Bytes) {
	u, d := r.beyond.unordered, int32(r.cfg.InferLoss)
	if d == 0 {
		return 0
	}
	for u.high.Sub(u.swept) > d {
		if !in(&u.again, r.una, u.swept) {
			lost += r.lose(u.swept)
		}
		u.swept = u.swept.Add(1)
	}
	if in(&u.again, r.una, r.una) && u.high.Sub(u.after) > d {
		lost += r.lose(r.una)
	}
	return lost
}

// receiveNack takes the word that a packet was trimmed.
func (r *requester) receiveNack(now units.Time, p *Packet, b *Batch) Verdict {
	psn := units.PSN(p.Imm)
	if psn.Before(r.una) || !psn.Before(r.nxt) {
		return Dropped
	}
	r.news(now)
	marked := p.Flags&FlagCNP != 0
	if r.cfg.RecycleEntropy && !marked && p.Flags&FlagLastHop != 0 {
		r.beyond.unordered.entropy.recycle(p.EV) // the last link has no other path, so the path was good
	}
	lost := r.lose(psn)
	r.tell(now, cc.Ack{Flight: r.flight, Marked: marked, Lost: lost, Trimmed: true}, b)
	r.mayRepeat()
	return Taken
}

// allLost is what an expired retry timer does: all in flight that the peer is not
// known to have is lost.
func (r *requester) allLost(now units.Time, b *Batch) {
	u := r.beyond.unordered
	lost := units.Bytes(0)
	for psn := r.una; psn.Before(r.nxt); psn = psn.Add(1) {
		lost += r.lose(psn)
	}
	u.entropy.forget()
	r.tell(now, cc.Ack{Flight: r.flight, Lost: lost}, b)
	r.mayRepeat()
}
