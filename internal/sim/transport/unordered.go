package transport

import (
	"weft/internal/sim/transport/cc"
	"weft/units"
)

// unordered is the state of a queue pair of Ultra Ethernet's reliable unordered delivery (RUD; UET
// specification 1.0, 3.5 and 3.6).
//
// Each packet carries the address of its payload and is placed on arrival; a message is finished
// when all of its packets have arrived, whatever earlier messages lack. The responder acknowledges
// arrived packets when there are enough of them, when requested, when a packet is marked, and when
// a message is complete. A packet that a switch has trimmed arrives without its payload and causes
// a Nack; only that packet is retransmitted, as soon as congestion control permits. Data in flight
// is sent data that has neither arrived nor been lost, so one packet does not hold up a window.
//
// A packet without any answer counts as lost when packets sent well behind it have arrived
// (Config.InferLoss), or after the timeout.
//
// Left out: the establishment of a delivery context and its limit of packets (MPR);
// acknowledgements that request clearing; probes.
type unordered struct {
	entropy entropy
	pending int32     // packets of lost
	arrived uint32    // payload that the peer has, by its last acknowledgement
	base    units.PSN // una at the last update of came, lost and again
	high    units.PSN // behind the furthest packet that the peer has
	swept   units.PSN // packets missing before it are lost
	after   units.PSN // packets from here on were sent after the last transmission of una
	seek    units.PSN // no packet before it is lost
	came    reorder   // packets ahead of una that the peer has
	lost    reorder   // to be retransmitted
	again   reorder   // sent again
}

// sprays reports whether delivery is unordered.
func (e *endpoint) sprays() bool { return e.wants&cc.WantEntropy != 0 }

// emit fills p with a lost packet, or with the next request, and chooses its entropy value. It
// requests an acknowledgement if the window leaves no room for another packet, or is too small ever
// to cause one (3.6.13.5).
func (u *unordered) emit(r *requester, now units.Time, p *Packet) {
	if r.lost {
		u.sendLost(r, now, p)
	} else {
		r.nextRequest(now, p)
		if !r.windowClosed() && !r.flowClosed() && r.allow.Window >= units.Bytes(r.cfg.ackTrigger()) {
			p.Flags &^= FlagAckReq
		}
	}
	p.EV = u.entropy.next(r.cfg.EntropyValues)
}

// sendLost emits the oldest lost packet. It requests an acknowledgement.
func (u *unordered) sendLost(r *requester, now units.Time, p *Packet) {
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
	u.mayRepeat(r)
	r.pace(&r.endpoint, now, units.Bytes(n))
}

// mayRepeat reports whether a lost packet may be sent. Congestion control must permit it; the
// distance to the oldest packet does not matter.
func (u *unordered) mayRepeat(r *requester) {
	r.lost = u.pending > 0 && r.flight < r.allow.Window && (r.cfg.Window == 0 || r.flight < r.cfg.Window)
}

// receiveAck handles an acknowledgement.
func (u *unordered) receiveAck(r *requester, now units.Time, p *Packet, b *Batch) Verdict {
	drawn := units.PSN(p.Imm)
	if !drawn.Before(r.max) || !p.PSN.Before(r.max) {
		return Dropped // a ghost
	}
	fresh := units.Bytes(max(0, int32(p.DMALen-u.arrived)))
	u.arrived += uint32(fresh)
	if r.una.Before(p.PSN.Add(1)) {
		for psn := r.una; u.pending > 0 && psn.Before(p.PSN.Add(1)); psn = psn.Add(1) {
			u.found(r, psn)
		}
		r.flight += r.advance(p.PSN.Add(1), b) // flight follows the arrived payload, not una
		u.forget(r)
	}
	r.flight -= fresh
	if r.una == r.nxt {
		r.flight = 0
	}
	for word, psn := p.VA, drawn&^63; word != 0; word, psn = word>>1, psn.Add(1) {
		if word&1 != 0 {
			u.peerHas(r, psn)
		}
	}
	r.news(now)
	marked := p.Flags&FlagCNP != 0
	if r.cfg.RecycleEntropy && !marked {
		u.entropy.recycle(p.EV)
	}
	lost := u.inferLoss(r)
	r.tell(&r.endpoint, now, cc.Ack{Bytes: fresh, Flight: r.flight, Marked: marked, Lost: lost}, b.Seen)
	u.mayRepeat(r)
	return Taken
}

// news restarts the retry timer after an answer.
func (r *requester) news(now units.Time) {
	r.progressAt = now
	r.retries = 0
}

// peerHas records a packet ahead of una that the peer has.
func (u *unordered) peerHas(r *requester, psn units.PSN) {
	if !r.una.Before(psn) || !psn.Before(r.max) || !u.came.mark(r.una, psn) {
		return
	}
	if u.high.Before(psn.Add(1)) {
		u.high = psn.Add(1)
	}
	u.found(r, psn)
}

// found records that the peer has a packet that counted as lost. The packet is not retransmitted.
// Its payload counts as in flight until the peer's sum of payload includes it.
func (u *unordered) found(r *requester, psn units.PSN) {
	if !u.isLost(r, psn) {
		return
	}
	u.lost.take(psn)
	u.pending--
	r.flight += r.payloadOf(psn, uint32(r.cfg.PathMTU))
}

// isLost reports whether a packet in flight waits for its retransmission.
func (u *unordered) isLost(r *requester, psn units.PSN) bool { return in(&u.lost, r.una, psn) }

// in reports whether a ring that begins at base has psn.
func in(r *reorder, base, psn units.PSN) bool {
	d := psn.Sub(base)
	return d >= 0 && uint32(d) < r.size() && r.has(psn)
}

// forget drops the record of packets before una.
func (u *unordered) forget(r *requester) {
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

// lose marks a packet as lost, unless it is known to be lost or to have arrived, and returns its
// payload.
func (u *unordered) lose(r *requester, psn units.PSN) units.Bytes {
	if in(&u.came, r.una, psn) || u.isLost(r, psn) {
		return 0
	}
	u.lost.mark(r.una, psn)
	u.pending++
	if psn.Before(u.seek) {
		u.seek = psn
	}
	n := r.payloadOf(psn, uint32(r.cfg.PathMTU))
	r.flight -= n
	return n
}

// inferLoss marks as lost the packets that were sent far enough before a packet that the peer has,
// and returns their payload.
func (u *unordered) inferLoss(r *requester) (lost units.Bytes) {
	d := int32(r.cfg.InferLoss)
	if d == 0 {
		return 0
	}
	for u.high.Sub(u.swept) > d {
		if !in(&u.again, r.una, u.swept) {
			lost += u.lose(r, u.swept)
		}
		u.swept = u.swept.Add(1)
	}
	if in(&u.again, r.una, r.una) && u.high.Sub(u.after) > d {
		lost += u.lose(r, r.una)
	}
	return lost
}

// receiveNack handles the notice that a switch has trimmed a packet.
func (u *unordered) receiveNack(r *requester, now units.Time, p *Packet, b *Batch) Verdict {
	psn := units.PSN(p.Imm)
	if psn.Before(r.una) || !psn.Before(r.nxt) {
		return Dropped
	}
	r.news(now)
	marked := p.Flags&FlagCNP != 0
	if r.cfg.RecycleEntropy && !marked && p.Flags&FlagLastHop != 0 {
		u.entropy.recycle(p.EV) // the last link has no other path, so the path was good
	}
	lost := u.lose(r, psn)
	r.tell(&r.endpoint, now, cc.Ack{Flight: r.flight, Marked: marked, Lost: lost, Trimmed: true}, b.Seen)
	u.mayRepeat(r)
	return Taken
}

// allLost handles an expired retry timer: every packet in flight that the peer is not known to have
// counts as lost.
func (u *unordered) allLost(r *requester, now units.Time, b *Batch) {
	lost := units.Bytes(0)
	for psn := r.una; psn.Before(r.nxt); psn = psn.Add(1) {
		lost += u.lose(r, psn)
	}
	u.entropy.forget()
	r.tell(&r.endpoint, now, cc.Ack{Flight: r.flight, Lost: lost}, b.Seen)
	u.mayRepeat(r)
}
