package transport

import (
	"weft/units"
)

// scoreboard is a requester's record of packets ahead of una: the arrived read responses, and, with
// selective repeat, the packets that the peer has, and the pass over the missing ones.
//
// The responder places packets that come ahead of the expected one, as out of order, and answers
// each with a NAK that names the expected packet and, in Imm, the arrived packet (IRN: Mittal et
// al., "Revisiting Network Support for RDMA", SIGCOMM 2018, section 3.1). A packet is lost when a
// later one has come. A pass sends each lost packet once. A packet is lost again when a packet that
// was sent after its repetition has come. The timeout finds a loss behind which nothing was sent.
//
// If the requester has flow control the network may reorder: a packet is lost when enough later
// packets have come (requester.tolerance), and a pass goes no faster than the window allows.
type scoreboard struct {
	responses reorder

	// Selective repeat.
	came  reorder   // ahead of una
	known int32     // PSNs in came
	base  units.PSN // una at the last update of came
	high  units.PSN // behind the furthest arrived packet
	edge  units.PSN // packets missing before it are lost
	next  units.PSN // the pass has repeated the lost packets before it
	after units.PSN // packets from here on were sent after una's repetition
	on    bool      // something is lost

	// Responses of READs, live: see holes.go.
	far     units.PSN // behind the last response that the peer has certainly sent
	due     units.PSN // responses missing before it are lost
	asked   units.PSN // responses missing before it were requested again
	drained int32     // number of responses that una has passed since the window was updated

	unordered *unordered // unordered delivery has its own state
}

// scoreboard is the requester's record of packets ahead of una.
func (r *requester) scoreboard() *scoreboard {
	if r.board == nil {
		r.board = &scoreboard{base: r.una, far: r.una, due: r.una, asked: r.una}
	}
	return r.board
}

// at reports whether the peer has a packet ahead of una. una itself counts as missing
// though it may have come: then its acknowledgement is lost, and its repetition draws
// another.
func (s *scoreboard) at(una, psn units.PSN) bool {
	d := uint32(psn.Sub(una))
	return d > 0 && d < s.came.size() && s.came.has(psn)
}

// refusedAhead handles a NAK that names a packet ahead of the expected one, una.
func (s *scoreboard) refusedAhead(r *requester, now units.Time, came units.PSN) {
	if !r.una.Before(came) || !came.Before(r.max) {
		return
	}
	if s.came.mark(r.una, came) {
		s.known++
		if r.cfg.Flow != nil {
			r.flow.arrived(now, came, 1)
			r.wake = min(r.wake, r.retryAt()) // the wait may have become shorter
		}
	}
	switch {
	case !s.on:
		s.on, s.high, s.edge, s.next, s.after = true, came.Add(1), r.una, r.una, r.max
	case r.una.Before(s.next) && !came.Before(s.after.Add(r.tolerance()-1)):
		r.flow.lost(s.missing(r, r.una, s.next)) // its repetition is lost, too
		s.next, s.after = r.una, r.max
	}
	if s.high.Before(came.Add(1)) {
		s.high = came.Add(1)
	}
	s.giveUp(r)
	s.seekLost(r)
}

// giveUp marks as lost the packets that enough later ones have overtaken.
func (s *scoreboard) giveUp(r *requester) {
	edge := s.high.Add(1 - r.tolerance())
	if !s.edge.Before(edge) {
		return
	}
	if r.cfg.Flow != nil {
		from := s.edge
		if from.Before(r.una) {
			from = r.una
		}
		r.flow.lost(s.missing(r, from, edge))
	}
	s.edge = edge
}

// missing is the number of PSNs in a range that are not known to have arrived.
func (s *scoreboard) missing(r *requester, from, to units.PSN) (n int32) {
	for from.Before(to) {
		w := r.workOf(from)
		switch {
		case w.op == OpRead && from != w.first:
		case !s.at(r.una, from):
			n += w.span()
		}
		from = w.after(from)
	}
	return n
}

// span is the number of PSNs of one packet of the work request.
func (w *sendWork) span() int32 {
	if w.op == OpRead {
		return int32(w.packets)
	}
	return 1
}

// after is the PSN behind the packet with a PSN: a READ is one packet.
func (w *sendWork) after(psn units.PSN) units.PSN {
	if w.op == OpRead {
		return w.end()
	}
	return psn.Add(1)
}

// repeatMissing begins a pass after a timeout, over all packets in flight that are not
// known to have come. The oldest is among them even if it has come: then its
// acknowledgement is lost, and nothing else would draw another.
func (s *scoreboard) repeatMissing(r *requester) {
	if s.came.take(r.una) {
		s.known--
	}
	if !s.on {
		s.high = r.una
	}
	s.on, s.edge, s.next, s.after = true, r.nxt, r.una, r.max
	s.seekLost(r)
}

// movedOn follows una, and returns the number of packets before una that were known to have
// arrived.
func (s *scoreboard) movedOn(r *requester, now units.Time) (known int32) {
	if s.came.size() != 0 {
		for psn := s.base; psn.Before(r.una); psn = psn.Add(1) {
			if s.came.take(psn) {
				known++
			}
		}
	}
	s.known -= known
	filled := s.base
	s.base = r.una
	for _, p := range [...]*units.PSN{&s.far, &s.due, &s.asked} {
		if p.Before(r.una) {
			*p = r.una // no PSN may be left behind for half a circle
		}
	}
	if !s.on {
		s.seekLost(r)
		return known
	}
	if overtaken := s.high.Sub(filled) - 1; overtaken > 0 && r.cfg.Flow != nil {
		r.flow.filled(now, filled, overtaken, filled.Before(s.next))
	}
	s.after = r.max
	s.giveUp(r)
	s.seekLost(r)
	return known
}

// endPass ends the pass: the requester goes back to una and repeats everything.
func (s *scoreboard) endPass(r *requester) {
	s.on, r.lost, s.far, s.due, s.asked = false, false, r.una, r.una, r.una
}

// seekLost finds the next packet to repeat.
func (s *scoreboard) seekLost(r *requester) { r.lost = s.seekPass(r) || s.seekHole(r) }

// seekPass finds the next packet of the pass, and reports whether there is one. A READ
// counts as the one packet that asks for it.
func (s *scoreboard) seekPass(r *requester) bool {
	if !s.on {
		return false
	}
	if !r.una.Before(s.high) && !r.una.Before(s.edge) {
		s.on = false
		return false
	}
	if s.next.Before(r.una) {
		s.next = r.una
	}
	for s.next.Before(s.edge) {
		w := r.workOf(s.next)
		if !s.at(r.una, s.next) && (w.op != OpRead || s.next == w.first) {
			return true
		}
		s.next = w.after(s.next)
	}
	return false
}

// probing is Probing for the requester.
func (r *requester) probing() bool {
	s := r.board
	return s != nil && s.on && !r.lost && r.una.Before(s.next) && r.max == s.after
}

// emit fills p with the lost packet that the pass is at. The packet is in flight already,
// and asks for an acknowledgement.
func (s *scoreboard) emit(r *requester, now units.Time, p *Packet) {
	if !s.seekPass(r) {
		s.askAgain(r, now, p)
		return
	}
	w := r.workOf(s.next)
	n, _ := r.compose(w, s.next, p)
	p.Flags |= FlagAckReq
	if s.next == r.una {
		s.after = r.max
	}
	r.repeated++
	if r.cfg.Flow != nil {
		r.flow.repeats(now, p, w.span())
	}
	s.next = s.next.Add(1)
	s.seekLost(r)
	r.pace(&r.endpoint, now, units.Bytes(n))
}
