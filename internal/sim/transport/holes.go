package transport

import "weft/units"

// Missing responses of READs, live, if both ends have selective repeat. A response is lost when
// enough later responses have come, or acknowledgements of later requests: responses come in the
// order of their requests. The requester requests each run of missing responses by a separate READ,
// which the responder treats as a repetition of a part (IBA vol. 1, 9.7.5.1.4). It does not request
// responses that have arrived.

// unanswered records that the peer has sent all responses before to.
func (r *requester) unanswered(to units.PSN) {
	if r.cfg.Delivery == SelectiveHeld {
		r.scoreboard().unanswered(r, to)
	}
}

func (s *scoreboard) unanswered(r *requester, to units.PSN) {
	if s.far.Before(to) {
		s.far = to
	}
	if edge := s.far.Add(1 - r.tolerance()); s.due.Before(edge) {
		s.due = edge
	}
	s.seekLost(r)
}

// hole is the next run of missing responses that the requester has not requested again; w is nil if
// there is none.
func (s *scoreboard) hole(r *requester) (w *sendWork, from, to units.PSN) {
	for from = s.asked; from.Before(s.due); s.asked = from {
		w = r.workOf(from)
		switch {
		case w.op != OpRead:
			from = w.end()
		case s.has(r.una, from):
			from = from.Add(1)
		default:
			for to = from.Add(1); to.Before(w.end()) && to.Before(s.due) && !s.has(r.una, to); {
				to = to.Add(1)
			}
			return w, from, to
		}
	}
	return nil, from, from
}

// has reports whether a response ahead of una has come.
func (s *scoreboard) has(una, psn units.PSN) bool {
	d := uint32(psn.Sub(una))
	return d > 0 && d < s.responses.size() && s.responses.has(psn)
}

// seekHole reports whether responses must be requested again.
func (s *scoreboard) seekHole(r *requester) bool {
	if r.cfg.Delivery != SelectiveHeld || r.readsOut == 0 {
		return false
	}
	w, _, _ := s.hole(r)
	return w != nil
}

// askAgain emits a READ for the missing responses.
func (s *scoreboard) askAgain(r *requester, now units.Time, p *Packet) {
	w, from, to := s.hole(r)
	n := to.Sub(from)
	r.compose(w, from, p)
	p.DMALen = min(p.DMALen, uint32(n)*uint32(r.cfg.PathMTU))
	s.asked = to
	r.repeated++
	if r.cfg.Flow != nil {
		r.flow.lost(n)
		r.flow.sent(from, n)
		r.flow.clock(now, p, false)
	}
	s.seekLost(r)
}
