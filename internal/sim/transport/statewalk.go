package transport

import "weft/internal/sim/state"

// Walk visits the state of a queue pair. own and peer are the groups of the PSNs that its requester
// and its peer's requester send.
func (q *QP) Walk(w *state.Walk, own, peer state.Group) {
	r := &q.req
	w.Group = own
	w.Visit(&r.endpoint)
	w.Visit(&r.congestion)
	w.Visit(&r.progress)
	w.Visit(&r.board)
	w.Visit(&r.sendQueue)
	w.Visit(&r.flow)
	r.clocks(w)
	w.Group = peer
	w.Visit(&q.resp)
}

// clocks visits the times of the last packet and of the last progress. Nothing reads the first after
// the pause behind that packet, nor the second while nothing is in flight.
func (r *requester) clocks(w *state.Walk) {
	w.Until(&r.paceAt)
	if r.paceAt > w.Now {
		w.Time(&r.pacedAt)
	}
	if r.una != r.nxt {
		w.Time(&r.progressAt)
	}
}

// WalkState visits the queue from its oldest work request on.
func (s *sendQueue) WalkState(w *state.Walk) {
	w.Word(uint64(s.tail - s.head))
	w.Word(uint64(s.cur - s.head))
	w.Visit(&s.una)
	w.Visit(&s.nxt)
	w.Visit(&s.max)
	w.Visit(&s.end)
	w.Visit(&s.locals)
	w.Visit(&s.readsOut)
	for i := s.head; i != s.tail && !w.Differs(); i++ {
		w.Visit(s.work(i))
	}
}

// WalkState visits the receives from the oldest on.
func (q *recvQueue) WalkState(w *state.Walk) {
	w.Word(uint64(q.rtail - q.rhead))
	for i := q.rhead; i != q.rtail && !w.Differs(); i++ {
		w.Visit(&q.rq[int(i)&(len(q.rq)-1)])
	}
}
