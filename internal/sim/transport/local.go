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
func (r *requester) postLocal(now units.Time, wr *WorkRequest) error {
	if r.cfg.Local == nil || r.service == UD && wr.Op == OpBindMW || r.sprays() {
		return ErrOperation
	}
	if err := r.enqueue(sendWork{id: wr.ID, op: wr.Op, flags: wr.flags()}); err != nil {
		return err
	}
	r.locals++
	r.heedLocals(now)
	if r.state == StateErr || r.state == StateSQE {
		r.wake = now // Timeout flushes it
	}
	return nil
}

// heedLocals makes a local operation due whose turn has come.
func (r *requester) heedLocals(now units.Time) {
	for r.cur != r.tail && r.work(r.cur).flags&workDone != 0 {
		r.cur++ // the requester had gone back
	}
	if r.localDue() {
		r.wake = min(r.wake, now)
	}
}

// localDue reports whether the next in the send queue is a local operation that is
// to be carried out now. One that has failed waits for those before it.
func (r *requester) localDue() bool {
	if r.cur == r.tail || r.state != StateRTS {
		return false
	}
	w := r.work(r.cur)
	return w.op.local() && (w.flags&(workFence|workFailed) == 0 || r.head == r.cur)
}

// runLocals carries out the local operations whose turn has come.
func (r *requester) runLocals(b *Batch) {
	for r.localDue() {
		w := r.work(r.cur)
		if w.flags&workFailed == 0 {
			status := r.cfg.Local(r.qpn, w.id)
			if status == Success {
				w.flags |= workDone
				r.cur++
				r.finishLocals(b)
				continue
			}
			w.flags |= workFailed
			w.imm = uint32(status)
		}
		if r.head == r.cur {
			r.failSend(Status(w.imm), b)
		}
		return
	}
}

// finishLocals completes the local operations that all before them have completed.
func (r *requester) finishLocals(b *Batch) {
	for r.head != r.tail && r.work(r.head).flags&workDone != 0 {
		if r.cur == r.head {
			r.cur++ // the requester had gone back to the one before
		}
		r.locals--
		r.finish(r.work(r.head), Success, b)
		r.head++
	}
}
