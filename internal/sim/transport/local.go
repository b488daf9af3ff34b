package transport

import "weft/units"

// Local operations stand in the send queue and send nothing: a memory window is
// bound, a key invalidated. They take no PSN. One is carried out when all before it
// have been sent and, with a fence, are finished; what is posted behind it begins
// afterwards (IBA vol. 1, 10.8.3.3: the order of work requests). It completes in its
// turn.
//
// A send that its owner knows to fail, for want of a right to memory, is posted as one,
// too, and fails in its turn: on UD it is the only one that makes sense.
//
// Its turn is a deadline that is due: Timeout carries it out, because only there is a
// batch for what it may lead to.

// local reports whether the operation sends nothing.
func (o Op) local() bool { return o == OpBindMW || o == OpLocalInv }

// postLocal appends a local operation to the send queue.
func (q *QP) postLocal(now units.Time, wr *WorkRequest) error {
	if q.cfg.Local == nil || q.service == UD && wr.Op == OpBindMW || q.sprays() {
		return ErrOperation
	}
	if err := q.growSends(); err != nil {
		return err
	}
	w := q.work(q.tail)
	*w = sendWork{id: wr.ID, op: wr.Op, first: q.end, flags: wr.flags()}
	q.tail++
	q.locals++
	q.heedLocals(now)
	if q.state == StateErr || q.state == StateSQE {
		q.wake = now // Timeout flushes it
	}
	return nil
}

// heedLocals makes a local operation due whose turn has come.
func (q *QP) heedLocals(now units.Time) {
	for q.cur != q.tail && q.work(q.cur).flags&workDone != 0 {
		q.cur++ // the requester had gone back
	}
	if q.localDue() {
		q.wake = min(q.wake, now)
	}
}

// localDue reports whether the next in the send queue is a local operation that is
// to be carried out now. One that has failed waits for those before it.
func (q *QP) localDue() bool {
	if q.cur == q.tail || q.state != StateRTS {
		return false
	}
	w := q.work(q.cur)
	return w.op.local() && (w.flags&(workFence|workFailed) == 0 || q.head == q.cur)
}

// runLocals carries out the local operations whose turn has come.
func (q *QP) runLocals(b *Batch) {
	for q.localDue() {
		w := q.work(q.cur)
		if w.flags&workFailed == 0 {
			status := q.cfg.Local(q.qpn, w.id)
			if status == Success {
				w.flags |= workDone
				q.cur++
				q.finishLocals(b)
				continue
			}
			w.flags |= workFailed
			w.imm = uint32(status)
		}
		if q.head == q.cur {
			q.failSend(Status(w.imm), b)
		}
		return
	}
}

// finishLocals completes the local operations that all before them have completed.
func (q *QP) finishLocals(b *Batch) {
	for q.head != q.tail && q.work(q.head).flags&workDone != 0 {
		if q.cur == q.head {
			q.cur++ // the requester had gone back to the one before
		}
		q.locals--
		q.finish(q.work(q.head), Success, b)
		q.head++
	}
}
