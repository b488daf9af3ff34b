package transport

import (
	"weft/internal/sim/state"
	"weft/units"
)

// Walk visits the state of a queue pair. own and peer are the groups of the PSNs that its requester
// and its peer's requester send.
func (q *QP) Walk(w *state.Walk, own, peer state.Group) {
	r := &q.req
	if r.cfg.PaceSlack > 0 {
		w.Refuse("packets that make up for late ones")
	}
	w.Group, w.Idle = own, r.una == r.nxt
	w.Visit(&r.endpoint)
	w.Visit(&r.congestion)
	w.Visit(&r.progress)
	w.Visit(&r.board)
	w.Visit(&r.sendQueue)
	w.Visit(&r.flow)
	r.clocks(w)
	if b := r.board; b != nil {
		b.responses.place(w, r.una)
		b.came.place(w, r.una)
		if u := b.unordered; u != nil {
			u.came.place(w, r.una)
			u.lost.place(w, r.una)
			u.again.place(w, r.una)
		}
	}
	w.Group = peer
	w.Visit(&q.resp)
	if a := q.resp.ahead; a != nil {
		a.place(w, q.resp.epsn)
	}
}

// place visits the place in the ring of a PSN, beside which the bits are compared: without a bit it makes no
// difference.
func (r *reorder) place(w *state.Walk, base units.PSN) {
	for _, bits := range r.bits {
		if bits != 0 {
			w.Word(uint64(uint32(base)&(r.size()-1)) + 1)
			return
		}
	}
	w.Word(0)
}

// clocks visits the times of the last packet and of the last progress, and up to where there are acknowledgements. Once the pause behind a packet is over,
// its times have no effect; nothing reads the last progress while nothing is in flight.
func (r *requester) clocks(w *state.Walk) {
	w.Until(&r.paceAt)
	if r.paceAt > w.Now {
		w.Time(&r.pacedAt)
	}
	if r.una != r.nxt {
		w.Time(&r.progressAt)
	}
	if r.service == RC {
		w.Visit(&r.ackHigh)
	}
}

// WalkState visits the queue from its oldest work request on.
func (s *sendQueue) WalkState(w *state.Walk) {
	w.Word(uint64(s.tail - s.head))
	w.Word(uint64(s.cur - s.head))
	w.Visit(&s.una)
	w.Visit(&s.nxt)
	w.Visit(&s.max)
	w.Posted((*uint32)(&s.end))
	w.Visit(&s.locals)
	w.Visit(&s.readsOut)
	for i := s.head; i != s.tail && !w.Differs(); i++ {
		w.Visit(s.work(i))
		if by, stays := w.Posted((*uint32)(&s.work(i).first)); stays && i == s.head {
			s.within(w, int32(by))
		}
	}
}

// within bounds the periods to those within the oldest message, which is the same in both compared states. All
// packets in flight are of it in both, and neither its first packet nor its last one: so is every packet that was sent
// between the states.
func (s *sendQueue) within(w *state.Walk, by int32) {
	m := s.work(s.head)
	if !m.first.Before(s.una.Add(-by)) {
		w.AtMost(0)
		return
	}
	w.AtMost(uint64(max(0, m.end().Add(-1).Sub(s.max)) / by))
}

// WalkState visits the receives from the oldest on.
func (q *recvQueue) WalkState(w *state.Walk) {
	w.Word(uint64(q.rtail - q.rhead))
	for i := q.rhead; i != q.rtail && !w.Differs(); i++ {
		w.Visit(&q.rq[int(i)&(len(q.rq)-1)])
	}
}
