package socket

import (
	"weft/internal/sim/transport"
	"weft/units"
	"weft/wire"
)

// settle follows every call of e's queue pair. It sends the answers, delivers the completions, and
// queues the endpoint by its work and its deadlines.
func (p *Port) settle(e *Endpoint, now units.Time) {
	for i := range p.batch.Packets {
		p.answer(e, &p.batch.Packets[i])
	}
	done := 0
	for done < len(p.batch.Completions) { // an owner may add completions
		e.Owner.Completed(&p.batch.Completions[done])
		done++
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

// count updates the packets in flight to e's peer, and reports whether their number has changed.
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
	if !e.queued && !e.paused && (!e.blocked || e.exempt()) {
		e.queued = true
		p.ready.push(e)
	}
}

// Schedule queues e to send at the port's next opportunity. An owner calls it when a completion of
// one endpoint gives work to another endpoint. The caller holds the lock.
func (p *Port) Schedule(e *Endpoint) {
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

// pause lets e wait for room in the memory that it shares with its peer, as a pause of the link
// would.
func (p *Port) pause(e *Endpoint, now units.Time) {
	e.paused = true
	p.timers.set(e, now+crowdedPause)
}

// unreliable reports whether e's requests have no acknowledgements.
func (e *Endpoint) unreliable() bool {
	s := e.QP.Service()
	return s == transport.UC || s == transport.UD
}

// towards is the way of e's next request, as far as it is known: that of a datagram's predecessor.
func (e *Endpoint) towards() *Way {
	if e.Peer != nil {
		return e.Peer.way
	}
	if e.last != nil {
		return e.last.way
	}
	return nil
}

// unblock lets endpoints that waited for a peer's room try again: as many as have room for a turn.
func (p *Port) unblock(peer *Peer) {
	for room := peer.most - peer.flight; room > 0 && peer.blocked.size > 0; room -= burst {
		e := peer.blocked.pop()
		e.blocked = false
		p.enqueue(e)
	}
}

// answer sends an acknowledgement or a notification. A positive acknowledgement waits until the
// received datagrams are processed: the last acknowledgement covers the earlier ones.
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
	p.sendOwed(e)
	p.emit(e, e.Peer, a, nil)
}

// sendOwed sends the acknowledgement that e owes.
func (p *Port) sendOwed(e *Endpoint) {
	if e.owes && e.attached {
		p.emit(e, e.Peer, &e.ack, nil)
		e.acked = true
	}
	e.owes = false
}

// ackAgain sends the last acknowledgement of a queue pair once more, in a datagram of its own, because
// nobody will answer if it is lost and the peer repeats its request. Nothing is lost between devices of one machine, and
// a NIC, which a device on an emulated fabric stands for, does not do it.
func (p *Port) ackAgain(e *Endpoint) {
	if !e.acked || p.alone || e.Peer.way.open() {
		return
	}
	p.flush()
	p.emit(e, e.Peer, &e.ack, nil)
	p.flush()
}

// Farewell sends what is owed to peers, and their last acknowledgements once more, for a program that ends. The
// caller holds the lock.
func (p *Port) Farewell() {
	if p.closed {
		return
	}
	p.push(p.Now())
	p.endpoints.each(p.ackAgain)
}

// push sends all packets that may go now: first the work just posted, then the owed
// acknowledgements, which are less urgent, and then the turns of the other endpoints.
func (p *Port) push(now units.Time) {
	if p.ready.size == 1 && p.budget > 0 {
		p.next(now)
	}
	for _, e := range p.owing {
		p.sendOwed(e)
	}
	clear(p.owing)
	p.owing = p.owing[:0]
	for p.ready.size > 0 && p.budget > 0 {
		p.next(now)
	}
	p.flush()
}

// next gives a turn to the endpoint that has waited longest. If it has ended meanwhile or has
// nothing to send, its room at the peer goes to the endpoints behind it.
func (p *Port) next(now units.Time) {
	e := p.ready.pop()
	e.queued = false
	if (!e.attached || p.turn(e, now) == 0) && e.Peer != nil {
		p.unblock(e.Peer)
	}
}

// turn lets one endpoint send a burst, and returns the number of packets.
func (p *Port) turn(e *Endpoint, now units.Time) (n int) {
	for n = 0; n < burst && p.budget > 0 && e.QP.Ready(now) <= now; n++ {
		if e.Peer != nil && e.Peer.full() && !e.exempt() {
			p.block(e)
			break
		}
		if e.unreliable() && e.towards().crowded() {
			p.pause(e, now)
			break
		}
		pkt, repeated := &p.tx.next, e.QP.Repeated()
		if !e.QP.Next(now, pkt) {
			break
		}
		p.budget--
		p.again += int64(e.QP.Repeated() - repeated)
		e.count()
		if e.crowded(n == burst-1) {
			e.ask(pkt)
		}
		if !p.carry(e, pkt) {
			break
		}
	}
	p.tidy(e, now) // UC and UD complete sends that have left
	p.settle(e, now)
	return n
}

// tidy calls a queue pair whose deadline has passed, unless it would retransmit: the
// acknowledgement may have arrived, and the socket is read first.
func (p *Port) tidy(e *Endpoint, now units.Time) {
	if e.QP.NextTimeout() <= now && now < e.QP.RetransmitAt() {
		p.expired(e, now)
	}
}

// crowded reports whether the packet that e sends now must ask for an acknowledgement, because
// other endpoints share the peer's room: the packet takes the last of the room, or ends a turn
// while others wait.
func (e *Endpoint) crowded(last bool) bool {
	q := e.Peer
	if q == nil || q.flight == int(e.counted) {
		return false // its own packets ask often enough
	}
	return last && q.blocked.size > 0 || q.full()
}

// ask makes the last packet of a turn ask for an acknowledgement, even in the middle of a message.
// If many queue pairs share a peer's room, each with a part of a message, none would reach the end
// of its message, and the room would be freed only by timeouts.
func (e *Endpoint) ask(pkt *transport.Packet) {
	if !e.unreliable() && !pkt.Op.Response() {
		pkt.Flags |= transport.FlagAckReq
	}
}

// carry sends a packet that Next has filled, with its payload.
func (p *Port) carry(e *Endpoint, pkt *transport.Packet) bool {
	peer := e.Peer
	if e.QP.Service() == transport.UD {
		peer = e.Owner.Destination(pkt)
		e.last = peer
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
