package transport

import (
	"fmt"
	"strconv"

	"weft/units"
	"weft/wire"
)

// State is the state of a queue pair (IBA vol. 1, 10.3.1).
type State uint8

// The states.
const (
	StateReset State = iota
	StateInit        // receives may be posted; nothing is sent or accepted
	StateRTR         // ready to receive
	StateRTS         // ready to send, too
	StateSQD         // send queue drained: started work finishes, no work begins
	StateSQE         // send queue error, UC and UD: receives continue
	StateErr         // everything is flushed
	numStates
)

var stateNames = [...]string{"RESET", "INIT", "RTR", "RTS", "SQD", "SQE", "ERR"}

func (s State) String() string {
	if s < numStates {
		return stateNames[s]
	}
	return "State(" + strconv.Itoa(int(s)) + ")"
}

// legal lists the transitions that software may ask for (IBA vol. 1, figure
// 124). RESET and ERR may be entered from anywhere; SQE is entered by a failed
// send only.
var legal = [numStates][numStates]bool{
	StateReset: {StateInit: true},
	StateInit:  {StateInit: true, StateRTR: true},
	StateRTR:   {StateRTS: true},
	StateRTS:   {StateRTS: true, StateSQD: true},
	StateSQD:   {StateSQD: true, StateRTS: true},
	StateSQE:   {StateRTS: true},
}

func (e *endpoint) mayEnter(to State) error {
	if to != StateReset && to != StateErr && !legal[e.state][to] {
		return fmt.Errorf("%w: queue pair %d from %v to %v", ErrTransition, e.qpn, e.state, to)
	}
	return nil
}

// BecomeReset clears everything except the configuration and the number. Posted work disappears
// without a completion, as in the specification.
func (q *QP) BecomeReset() {
	alg, sends, recvs := q.req.alg, q.req.ring, q.resp.rq
	*q = QP{req: requester{endpoint: endpoint{cfg: q.req.cfg, qpn: q.req.qpn, service: q.req.service}}}
	q.req.ring, q.req.ringed, q.resp.rq = sends, sends != nil, recvs
	q.setup(alg)
}

// BecomeInit permits posting of receives.
func (q *QP) BecomeInit() error {
	if err := q.req.mayEnter(StateInit); err != nil {
		return err
	}
	q.req.state = StateInit
	return nil
}

// BecomeRTR makes the responder accept packets, for a connected service from the queue pair remote,
// whose first packet has the PSN rqPSN. UD ignores both.
func (q *QP) BecomeRTR(remote units.QPN, rqPSN units.PSN) error {
	if err := q.req.mayEnter(StateRTR); err != nil {
		return err
	}
	q.req.remote, q.resp.epsn = remote, rqPSN&units.PSNMask
	q.req.state = StateRTR
	return nil
}

// BecomeRTS permits sending; the first packet has the PSN sqPSN. From SQD and SQE it resumes, and
// sqPSN is ignored.
func (q *QP) BecomeRTS(now units.Time, sqPSN units.PSN) error {
	if err := q.req.mayEnter(StateRTS); err != nil {
		return err
	}
	if q.req.state == StateRTR {
		q.req.begin(now, sqPSN&units.PSNMask)
	}
	q.req.state = StateRTS
	q.req.heedLocals(now)
	return nil
}

// Connect takes a new queue pair to RTS at once: the peer, the first PSN of
// its own requests, and the first of the peer's.
func (q *QP) Connect(now units.Time, remote units.QPN, sqPSN, rqPSN units.PSN) error {
	if err := q.BecomeInit(); err != nil {
		return err
	}
	if err := q.BecomeRTR(remote, rqPSN); err != nil {
		return err
	}
	return q.BecomeRTS(now, sqPSN)
}

// BecomeSQD begins no more work requests. Started ones finish: see Drained.
func (q *QP) BecomeSQD() error {
	if err := q.req.mayEnter(StateSQD); err != nil {
		return err
	}
	q.req.state = StateSQD
	return nil
}

// Drained reports whether all started work is finished.
func (q *QP) Drained() bool { return q.req.head == q.req.cur && !q.req.begun() }

// becomeSQE enters SQE after a failed send of UC or UD: the send queue is flushed,
// receives go on.
func (r *requester) becomeSQE(b *Batch) {
	r.state = StateSQE
	r.flush(b)
}

// BecomeErr flushes all work, with completions.
func (q *QP) BecomeErr(b *Batch) {
	q.req.becomeErr()
	q.flush(b)
}

// flush completes all posted work as flushed.
func (q *QP) flush(b *Batch) {
	q.req.flush(b)
	q.resp.flush(&q.req.endpoint, b)
}

// becomeErr enters ERR after an error of the requester or of the responder. The QP flushes
// the work of both at the end of the call.
func (e *endpoint) becomeErr() { e.state, e.wake = StateErr, units.Forever }

// breakConnection ends the requester's work after an error that ends the connection.
func (r *requester) breakConnection(b *Batch) {
	r.becomeErr()
	r.flush(b)
}

// flush completes all posted receives as flushed, and drops pending answers.
func (s *responder) flush(e *endpoint, b *Batch) {
	s.clear(e)
	for !s.empty() {
		b.Completions = append(b.Completions, Completion{ID: s.pop().id, QPN: e.qpn, Status: WRFlushErr, Recv: true})
	}
}

// FailSend ends the oldest work request with a local error that only the caller can detect (in its
// memory, for example): RC goes to ERR, UC and UD to SQE.
func (q *QP) FailSend(status Status, b *Batch) {
	q.req.failSend(status, b)
	if q.req.state == StateErr {
		q.flush(b)
	}
}

// failSend is FailSend for the requester.
func (r *requester) failSend(status Status, b *Batch) {
	r.failHead(status, b)
	if r.service == RC {
		r.breakOff(b)
		return
	}
	r.becomeSQE(b)
}

// failHead completes the oldest work request, if there is one, with an error.
func (r *requester) failHead(status Status, b *Batch) {
	if r.head == r.tail {
		return
	}
	if r.work(r.head).op.local() {
		r.locals--
	}
	r.finish(r.work(r.head), status, b)
	r.head++
}

// flush completes all posted sends as flushed.
func (r *requester) flush(b *Batch) {
	for ; r.head != r.tail; r.head++ {
		r.finish(r.work(r.head), WRFlushErr, b)
	}
	r.cur, r.locals = r.head, 0
	r.una, r.nxt, r.max, r.flight, r.readsOut = r.end, r.end, r.end, 0, 0
}

// Refuse ends the connection with a NAK for the request psn, for a reason that only the caller
// knows: the memory of a READ in progress is gone.
func (q *QP) Refuse(psn units.PSN, syndrome wire.Syndrome, b *Batch) {
	q.resp.refuse(&q.req.endpoint, psn, syndrome, b)
	if q.req.state == StateErr {
		q.flush(b)
	}
}

// refuse is Refuse for the responder.
func (s *responder) refuse(e *endpoint, psn units.PSN, syndrome wire.Syndrome, b *Batch) {
	s.answer(e, b.packet(), psn, syndrome)
	if e.cfg.Delivery == EndToEnd {
		s.awaitResync(e)
		return
	}
	e.becomeErr()
}

// abort sends a fatal NAK, which names the expected PSN, and enters ERR.
func (s *responder) abort(e *endpoint, syndrome wire.Syndrome, b *Batch) {
	s.refuse(e, s.epsn, syndrome, b)
}
