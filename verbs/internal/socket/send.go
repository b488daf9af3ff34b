package socket

import (
	"weft/internal/sim/transport"
	"weft/units"
	"weft/wire"
)

// settle does what follows any call of e's queue pair: answers are sent,
// completions told, and the endpoint stands where its deadlines and its work want
// it.
func (p *Port) settle(e *Endpoint, now units.Time) {
	for i := range p.batch.Packets {
		p.answer(e, &p.batch.Packets[i])
	}
	told := 0
	for told < len(p.batch.Completions) { // an owner may add to them
		e.Owner.Completed(&p.batch.Completions[told])
		told++
	}
	p.batch.Reset()
	if e.count() {
		p.unblock(e.Peer)
	}
	ready := e.QP.Ready(now)
	if ready <= now {
		p.enqueue(e)
		ready = units.Forever
	}
	if e.attached {
		p.timers.set(e, min(ready, e.QP.NextTimeout()))
	}
}

// count brings what is in flight to e's peer up to date, and reports whether it has
// changed.
func (e *Endpoint) count() bool {
	out := e.QP.Outstanding()
	if e.Peer == nil || out == e.counted {
		return false
	}
	e.Peer.flight += int(out - e.counted)
	e.counted = out
	return true
}

func (p *Port) enqueue(e *Endpoint) {
	if !e.queued && (!e.blocked || e.exempt()) {
		e.queued = true
		p.ready.push(e)
	}
}

// Stir lets e send what it may at the port's next opportunity: what an owner calls
// whose other endpoint has got work by what it is told of. The caller holds the lock.
func (p *Port) Stir(e *Endpoint) {
	if e.attached {
		p.enqueue(e)
	}
}

// block makes e wait for room at its peer.
func (p *Port) block(e *Endpoint) {
	if !e.blocked {
		e.blocked = true
		e.Peer.blocked.push(e)
	}
}

// unblock lets endpoints that waited for a peer's room try again: as many as have
// room for a turn.
func (p *Port) unblock(peer *Peer) {
	for room := peer.most - peer.flight; room > 0 && peer.blocked.size > 0; room -= burst {
		e := peer.blocked.pop()
		e.blocked = false
		p.enqueue(e)
	}
}

// answer sends an acknowledgement or a notification. A positive acknowledgement
// waits until the datagrams that have arrived are dealt with: the last says what
// those before it said.
func (p *Port) answer(e *Endpoint, a *transport.Packet) {
	if a.Op == wire.RCAcknowledge && a.Syndrome.Kind() == wire.SyndromeACK && a.Flags == 0 {
		e.ack = *a
		if !e.owes {
			e.owes = true
			p.owing = append(p.owing, e)
		}
		return
	}
	if a.Op == wire.CNP {
		p.stats.CNPsOut++
	}
	p.pay(e)
	p.emit(e, e.Peer, a, nil)
}

// pay sends the acknowledgement that e owes.
func (p *Port) pay(e *Endpoint) {
	if e.owes && e.attached {
		p.emit(e, e.Peer, &e.ack, nil)
	}
	e.owes = false
}

// push sends all that may go now. What was just posted goes in front of the
// acknowledgements that are owed, which nobody waits for so urgently, and those in
// front of everybody else's turn.
func (p *Port) push(now units.Time) {
	if p.ready.size == 1 {
		p.next(now)
	}
	for _, e := range p.owing {
		p.pay(e)
	}
	clear(p.owing)
	p.owing = p.owing[:0]
	for p.ready.size > 0 {
		p.next(now)
	}
	p.flush()
}

// next gives the endpoint that has waited longest its turn. Room at its peer that it
// does not use, because it has ended meanwhile or has nothing to send any more, is for
// those who wait behind it.
func (p *Port) next(now units.Time) {
	e := p.ready.pop()
	e.queued = false
	if (!e.attached || p.turn(e, now) == 0) && e.Peer != nil {
		p.unblock(e.Peer)
	}
}

// turn lets one endpoint send a burst, and says how many packets it was.
func (p *Port) turn(e *Endpoint, now units.Time) (n int) {
	for n = 0; n < burst && e.QP.Ready(now) <= now; n++ {
		if e.Peer != nil && e.Peer.full() && !e.exempt() {
			p.block(e)
			break
		}
		pkt := &p.tx.next
		if !e.QP.Next(now, pkt) {
			break
		}
		e.count()
		if e.crowded(n == burst-1) {
			e.ask(pkt)
		}
		if !p.carry(e, pkt) {
			break
		}
	}
	p.tidy(e, now) // UC and UD report what they have sent
	p.settle(e, now)
	return n
}

// tidy lets a queue pair do what is due, but send nothing again: what it waits for may
// have arrived, and the socket is read first.
func (p *Port) tidy(e *Endpoint, now units.Time) {
	if e.QP.NextTimeout() <= now && now < e.QP.RetransmitAt() {
		e.QP.Timeout(now, &p.batch)
	}
}

// crowded reports whether the packet that e sends now must bring room back, which
// others have a part of: it takes the last of it, or it is the last of a turn while
// others wait.
func (e *Endpoint) crowded(last bool) bool {
	q := e.Peer
	if q == nil || q.flight == int(e.counted) {
		return false // its own packets ask often enough
	}
	return last && q.blocked.size > 0 || q.full()
}

// ask makes the last packet of a turn ask for an acknowledgement, in the middle of a
// message too: where many queue pairs share a peer's room, each with a part of a
// message in it, none would get to the end of its own, and the room would come back
// with their timeouts only.
func (e *Endpoint) ask(pkt *transport.Packet) {
	if s := e.QP.Service(); s != transport.UC && s != transport.UD && !pkt.Op.Response() {
		pkt.Flags |= transport.FlagAckReq
	}
}

// carry sends a packet that Next has filled, with its payload.
func (p *Port) carry(e *Endpoint, pkt *transport.Packet) bool {
	peer := e.Peer
	if e.QP.Service() == transport.UD {
		peer = e.Owner.Destination(pkt)
	}
	parts := p.tx.scratch[:0]
	if pkt.Length > 0 {
		var ok bool
		if parts, ok = e.Owner.Gather(pkt, parts); !ok {
			p.withdrawn(e, pkt)
			return false
		}
		p.tx.scratch = parts
	}
	p.emit(e, peer, pkt, parts)
	return true
}

// withdrawn ends a queue pair whose packet has lost its memory.
func (p *Port) withdrawn(e *Endpoint, pkt *transport.Packet) {
	if pkt.Op.Response() {
		e.QP.Refuse(pkt.PSN, wire.NAKRemoteAccess, &p.batch)
		return
	}
	e.QP.FailSend(transport.LocProtErr, &p.batch)
}
