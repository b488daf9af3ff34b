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
	StateInit        // receives may be posted; nothing is sent or taken
	StateRTR         // ready to receive
	StateRTS         // ready to send, too
	StateSQD         // send queue drained: what has begun is finished, nothing begins
	StateSQE         // send queue error, UC and UD: receives go on
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

func (q *QP) mayEnter(to State) error {
	if to != StateReset && to != StateErr && !legal[q.state][to] {
		return fmt.Errorf("%w: queue pair %d from %v to %v", ErrTransition, q.qpn, q.state, to)
	}
	return nil
}

// BecomeReset forgets everything but the configuration and the number. Posted
// work vanishes without a completion, as the spec has it.
func (q *QP) BecomeReset() {
	alg := q.alg
	*q = QP{cfg: q.cfg, qpn: q.qpn, service: q.service, sq: q.sq, ringed: q.ringed, rq: q.rq}
	q.setup(alg)
}

// BecomeInit lets receives be posted.
func (q *QP) BecomeInit() error {
	if err := q.mayEnter(StateInit); err != nil {
		return err
	}
	q.state = StateInit
	return nil
}

// BecomeRTR lets the responder take packets, of a connected service from the
// queue pair remote, whose first packet has the PSN rqPSN. UD ignores both.
func (q *QP) BecomeRTR(remote units.QPN, rqPSN units.PSN) error {
	if err := q.mayEnter(StateRTR); err != nil {
		return err
	}
	q.remote, q.epsn = remote, rqPSN&units.PSNMask
	q.state = StateRTR
	return nil
}

// BecomeRTS lets the requester send; its first packet has the PSN sqPSN. From
// SQD and SQE it resumes, and sqPSN is ignored.
func (q *QP) BecomeRTS(now units.Time, sqPSN units.PSN) error {
	if err := q.mayEnter(StateRTS); err != nil {
		return err
	}
	if q.state == StateRTR {
		sqPSN &= units.PSNMask
		q.una, q.nxt, q.max, q.end, q.ackHigh = sqPSN, sqPSN, sqPSN, sqPSN, sqPSN
		if q.sprays() {
			u := q.beyond.unordered
			u.base, u.high, u.swept, u.after, u.seek = sqPSN, sqPSN, sqPSN, sqPSN, sqPSN
		}
		if q.alg != nil {
			q.wants |= q.alg.Start(now, &q.allow)
			q.wake = min(q.wake, q.allow.Wake)
		}
	}
	q.state = StateRTS
	q.heedLocals(now)
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

// BecomeSQD begins no more work requests. Those begun finish: see Drained.
func (q *QP) BecomeSQD() error {
	if err := q.mayEnter(StateSQD); err != nil {
		return err
	}
	q.state = StateSQD
	return nil
}

// Drained reports whether nothing that was begun is unfinished.
func (q *QP) Drained() bool { return q.head == q.cur && !q.begun() }

// becomeSQE is what a failed send does to UC and UD: the send queue is flushed,
// receives go on.
func (q *QP) becomeSQE(b *Batch) {
	q.state = StateSQE
	q.flushSends(b)
}

// BecomeErr flushes all work, with completions.
func (q *QP) BecomeErr(b *Batch) {
	q.becomeErr()
	q.flush(b)
}

// flush completes all posted work as flushed.
func (q *QP) flush(b *Batch) {
	q.flushSends(b)
	q.flushRecvs(b)
}

// becomeErr is what an error of the requester or of the responder does. The QP flushes the
// work of both at the end of the call.
func (q *QP) becomeErr() { q.state, q.wake = StateErr, units.Forever }

// breakConnection ends the requester's work after an error that ends the connection.
func (q *QP) breakConnection(b *Batch) {
	q.becomeErr()
	q.flushSends(b)
}

// flushRecvs completes all posted receives as flushed, and answers nothing more.
func (q *QP) flushRecvs(b *Batch) {
	q.setReads(q.reads[:0])
	q.owed = 0
	for q.rhead != q.rtail {
		w := q.recvHead()
		b.Completions = append(b.Completions, Completion{ID: w.id, QPN: q.qpn, Status: WRFlushErr, Recv: true})
		q.rhead++
	}
}

// FailSend ends the oldest work request with a local error, of which only the
// caller can know (its memory, say): RC goes to ERR, UC and UD to SQE.
func (q *QP) FailSend(status Status, b *Batch) {
	q.failSend(status, b)
	if q.state == StateErr {
		q.flush(b)
	}
}

// failSend is FailSend for the requester.
func (q *QP) failSend(status Status, b *Batch) {
	q.failHead(status, b)
	if q.service == RC {
		q.breakOff(b)
		return
	}
	q.becomeSQE(b)
}

// failHead completes the oldest work request, if there is one, with an error.
func (q *QP) failHead(status Status, b *Batch) {
	if q.head == q.tail {
		return
	}
	if q.work(q.head).op.local() {
		q.locals--
	}
	q.finish(q.work(q.head), status, b)
	q.head++
}

// flushSends completes all posted sends as flushed.
func (q *QP) flushSends(b *Batch) {
	for ; q.head != q.tail; q.head++ {
		q.finish(q.work(q.head), WRFlushErr, b)
	}
	q.cur, q.locals = q.head, 0
	q.una, q.nxt, q.max, q.flight, q.readsOut = q.end, q.end, q.end, 0, 0
}

// Refuse ends the connection with a NAK for the request psn, because of what
// only the caller knows: the memory that a READ is being answered from is gone.
func (q *QP) Refuse(psn units.PSN, syndrome wire.Syndrome, b *Batch) {
	q.refuse(psn, syndrome, b)
	if q.state == StateErr {
		q.flush(b)
	}
}

// refuse is Refuse for the responder.
func (q *QP) refuse(psn units.PSN, syndrome wire.Syndrome, b *Batch) {
	q.answer(b.packet(), psn, syndrome)
	if q.cfg.Delivery == EndToEnd {
		q.awaitResync()
		return
	}
	q.becomeErr()
}

// abort sends a fatal NAK, which names the expected PSN, and enters ERR.
func (q *QP) abort(syndrome wire.Syndrome, b *Batch) {
	q.refuse(q.epsn, syndrome, b)
}
