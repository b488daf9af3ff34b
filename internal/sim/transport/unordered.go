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
	swept   units.PSN // packets that are missing before it are taken for lost
	after   units.PSN // packets from here on were sent after the last transmission of una
	seek    units.PSN // nothing before it is lost
	came    reorder   // packets ahead of una that the peer has
	lost    reorder   // to be sent again
	again   reorder   // sent again
}

// sprays reports whether delivery is unordered.
func (e *endpoint) sprays() bool { return e.wants&cc.WantEntropy != 0 }

// emit fills p with a lost packet, or with the next request, and chooses its entropy
// value. It asks for an acknowledgement where the window leaves no room for another
// packet, or is too small ever to draw one (3.6.13.5).
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

// sendLost emits the oldest packet that is lost. It asks for an acknowledgement.
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

// mayRepeat decides whether a lost packet may be sent. Congestion control must let it; how
// far the oldest packet lies behind does not matter.
func (u *unordered) mayRepeat(r *requester) {
	r.lost = u.pending > 0 && r.flight < r.allow.Window && (r.cfg.Window == 0 || r.flight < r.cfg.Window)
}

// receiveAck takes an acknowledgement.
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
		r.flight += r.advance(p.PSN.Add(1), b) // flight goes by what has come, not by una
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

// news starts the retry timer again: something has come back.
func (r *requester) news(now units.Time) {
	r.progressAt = now
	r.retries = 0
}

// peerHas notes a packet ahead of una that the peer has.
func (u *unordered) peerHas(r *requester, psn units.PSN) {
	if !r.una.Before(psn) || !psn.Before(r.max) || !u.came.mark(r.una, psn) {
		return
	}
	if u.high.Before(psn.Add(1)) {
		u.high = psn.Add(1)
	}
	u.found(r, psn)
}

// found notes that the peer has a packet that was taken for lost. The packet is not sent
// again. Its payload counts as in flight until the peer's sum of payload takes it off.
func (u *unordered) found(r *requester, psn units.PSN) {
	if !u.isLost(r, psn) {
		return
	}
	u.lost.take(psn)
	u.pending--
	r.flight += r.payloadOf(psn, uint32(r.cfg.PathMTU))
}

// isLost reports whether a packet in flight waits to be sent again.
func (u *unordered) isLost(r *requester, psn units.PSN) bool { return in(&u.lost, r.una, psn) }

// in reports whether a ring that begins at base has psn.
func in(r *reorder, base, psn units.PSN) bool {
	d := psn.Sub(base)
	return d >= 0 && uint32(d) < r.size() && r.has(psn)
}

// forget forgets what is known of packets before una.
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

// lose takes a packet for lost, unless it is known to be lost or to have come, and gives
// its payload.
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

// inferLoss takes for lost the packets that were sent far enough before a packet that the
// peer has, and gives their payload.
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

// receiveNack takes the news that a switch has trimmed a packet.
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

// allLost serves an expired retry timer: every packet in flight that the peer is not known
// to have is lost.
func (u *unordered) allLost(r *requester, now units.Time, b *Batch) {
	lost := units.Bytes(0)
	for psn := r.una; psn.Before(r.nxt); psn = psn.Add(1) {
		lost += u.lose(r, psn)
	}
	u.entropy.forget()
	r.tell(&r.endpoint, now, cc.Ack{Flight: r.flight, Lost: lost}, b.Seen)
	u.mayRepeat(r)
}
