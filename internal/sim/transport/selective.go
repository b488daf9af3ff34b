package transport

import (
	"weft/units"
	"weft/wire"
)

// beyond is what a requester knows of packets ahead of una: the read responses
// that have come, and, with selective repeat, what the peer has, and the pass over
// what it has not.
//
// The responder places packets that come ahead of the expected one, as out of
// order, and answers each with a NAK that names the expected packet and, in Imm,
// the one that came (IRN: Mittal et al., "Revisiting Network Support for RDMA",
// SIGCOMM 2018, section 3.1). A packet is lost when a later one has come. A pass
// sends each lost packet once; a packet that is lost again is known by one that
// was sent after its repetition and has come. What nothing is sent after is left
// to the timeout.
//
// Where the requester has flow control the network may reorder: a packet is lost when
// enough later ones have come (QP.tolerance), and a pass goes no faster than the window
// lets it.
type beyond struct {
	responses reorder

	// Selective repeat.
	came  reorder   // ahead of una
	known int32     // PSNs in came
	base  units.PSN // una, as came knows it
	high  units.PSN // after the furthest that came
	edge  units.PSN // what is missing before it is lost
	next  units.PSN // the pass has sent what is lost before it
	after units.PSN // what has this PSN or a later one was sent after una's repetition
	on    bool      // something is lost

	// Responses of READs, live: see holes.go.
	far     units.PSN // after what responses, or what follows them, show to have been sent
	due     units.PSN // what is missing before it is lost
	asked   units.PSN // what is missing before it was asked for again
	drained int32     // responses that una has passed since the window was told

	unordered *unordered // unordered delivery has a state of its own
}

// further is what the requester knows of packets ahead of una.
func (q *QP) further() *beyond {
	if q.beyond == nil {
		q.beyond = &beyond{base: q.una, far: q.una, due: q.una, asked: q.una}
	}
	return q.beyond
}

// at is whether the peer has a packet ahead of una. una itself counts as missing
// though it may have come: its acknowledgement is lost then, and its repetition
// draws another.
func (s *beyond) at(una, psn units.PSN) bool {
	d := uint32(psn.Sub(una))
	return d > 0 && d < s.came.size() && s.came.has(psn)
}

// refusedAhead takes a NAK that names a packet that came ahead of the expected
// one, una.
func (q *QP) refusedAhead(now units.Time, came units.PSN) {
	if !q.una.Before(came) || !came.Before(q.max) {
		return
	}
	s := q.further()
	if s.came.mark(q.una, came) {
		s.known++
		if q.cfg.Flow != nil {
			q.flow.arrived(now, came, 1)
			q.wake = min(q.wake, q.retryAt()) // the wait may have become shorter
		}
	}
	switch {
	case !s.on:
		s.on, s.high, s.edge, s.next, s.after = true, came.Add(1), q.una, q.una, q.max
	case q.una.Before(s.next) && !came.Before(s.after.Add(q.tolerance()-1)):
		q.flow.lost(q.missing(q.una, s.next)) // its repetition is lost, too
		s.next, s.after = q.una, q.max
	}
	if s.high.Before(came.Add(1)) {
		s.high = came.Add(1)
	}
	q.giveUp()
	q.seekLost()
}

// giveUp takes for lost what enough later packets have overtaken.
func (q *QP) giveUp() {
	s := q.beyond
	edge := s.high.Add(1 - q.tolerance())
	if !s.edge.Before(edge) {
		return
	}
	if q.cfg.Flow != nil {
		from := s.edge
		if from.Before(q.una) {
			from = q.una
		}
		q.flow.lost(q.missing(from, edge))
	}
	s.edge = edge
}

// missing is how many PSNs from one to another are not known to have come.
func (q *QP) missing(from, to units.PSN) (n int32) {
	for from.Before(to) {
		w := q.workOf(from)
		switch {
		case w.op == OpRead && from != w.first:
		case !q.beyond.at(q.una, from):
			n += w.span()
		}
		from = w.after(from)
	}
	return n
}

// span is how many PSNs one packet of the work request takes.
func (w *sendWork) span() int32 {
	if w.op == OpRead {
		return int32(w.packets)
	}
	return 1
}

// after is where the packet behind that of a PSN begins: a READ is one packet.
func (w *sendWork) after(psn units.PSN) units.PSN {
	if w.op == OpRead {
		return w.end()
	}
	return psn.Add(1)
}

// repeatMissing begins a pass over all that is in flight and not known to have
// come: what a timeout does. The oldest is among them even if it has come: its
// acknowledgement is lost then, and nothing else would draw another.
func (q *QP) repeatMissing() {
	s := q.further()
	if s.came.take(q.una) {
		s.known--
	}
	if !s.on {
		s.high = q.una
	}
	s.on, s.edge, s.next, s.after = true, q.nxt, q.una, q.max
	q.seekLost()
}

// movedOn is what it means to the pass that una has moved. It says how many of the
// packets before una were known to have come.
func (q *QP) movedOn(now units.Time) (known int32) {
	s := q.beyond
	if s.came.size() != 0 {
		for psn := s.base; psn.Before(q.una); psn = psn.Add(1) {
			if s.came.take(psn) {
				known++
			}
		}
	}
	s.known -= known
	filled := s.base
	s.base = q.una
	for _, p := range [...]*units.PSN{&s.far, &s.due, &s.asked} {
		if p.Before(q.una) {
			*p = q.una // nothing is left behind for half a circle
		}
	}
	if !s.on {
		q.seekLost()
		return known
	}
	if overtaken := s.high.Sub(filled) - 1; overtaken > 0 && q.cfg.Flow != nil {
		q.flow.filled(now, filled, overtaken, filled.Before(s.next))
	}
	s.after = q.max
	q.giveUp()
	q.seekLost()
	return known
}

// endPass ends the pass: the requester goes back to una and sends everything.
func (q *QP) endPass() {
	s := q.beyond
	s.on, q.lost, s.far, s.due, s.asked = false, false, q.una, q.una, q.una
}

// seekLost finds what is to be sent again next.
func (q *QP) seekLost() { q.lost = q.seekPass() || q.seekHole() }

// seekPass finds the next packet of the pass, and reports whether there is one. A READ
// counts as the one packet that asks for it.
func (q *QP) seekPass() bool {
	s := q.beyond
	if !s.on {
		return false
	}
	if !q.una.Before(s.high) && !q.una.Before(s.edge) {
		s.on = false
		return false
	}
	if s.next.Before(q.una) {
		s.next = q.una
	}
	for s.next.Before(s.edge) {
		w := q.workOf(s.next)
		if !s.at(q.una, s.next) && (w.op != OpRead || s.next == w.first) {
			return true
		}
		s.next = w.after(s.next)
	}
	return false
}

// workOf is the work request that a PSN in flight belongs to.
func (q *QP) workOf(psn units.PSN) *sendWork {
	i := q.head
	for ; i != q.tail; i++ {
		if w := q.work(i); psn.Before(w.end()) {
			return w
		}
	}
	return q.work(i - 1)
}

// Repeating reports whether the next packet is one that was lost and is in flight
// already.
func (q *QP) Repeating() bool { return q.lost }

// Probing reports whether the oldest packet in flight was sent again and nothing new
// since. Only what is sent after a repetition tells that it, or its acknowledgement,
// was lost, too: a window that would hold that back leaves it to the timeout.
func (q *QP) Probing() bool {
	s := q.beyond
	return s != nil && s.on && !q.lost && q.una.Before(s.next) && q.max == s.after
}

// nextRepeat emits the lost packet that the pass is at. It is in flight already,
// and asks for an acknowledgement.
func (q *QP) nextRepeat(now units.Time, p *Packet) {
	s := q.beyond
	if !q.seekPass() {
		q.askAgain(now, p)
		return
	}
	w := q.workOf(s.next)
	n, _ := q.compose(w, s.next, p)
	p.Flags |= FlagAckReq
	if s.next == q.una {
		s.after = q.max
	}
	q.repeated++
	if q.cfg.Flow != nil {
		q.flow.repeats(now, p, w.span())
	}
	s.next = s.next.Add(1)
	q.seekLost()
	q.pace(now, units.Bytes(n))
}

// reportAhead answers a request that came ahead of the expected one. Where read
// responses must go first nothing is said: the next packet that comes ahead will.
func (q *QP) reportAhead(came units.PSN, b *Batch) {
	if q.owed&owedReads != 0 {
		return
	}
	p := b.packet()
	q.answer(p, q.epsn, wire.NAKSequence)
	p.Imm = uint32(came)
}
