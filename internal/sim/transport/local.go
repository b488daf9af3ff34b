package transport

import "weft/units"

// A local operation stands in the send queue and sends nothing: it binds a memory window,
// or invalidates a key. It takes no PSN. It is executed when all work before it has
// been sent; with a fence, when all work before it is finished. Work that is posted behind
// it begins afterwards (IBA vol. 1, 10.8.3.3: the order of work requests). It completes in
// its turn.
//
// A send that its owner knows to fail, for want of a right to memory, is posted as a local
// operation, too, and fails in its turn. On UD no other local operation makes sense.
//
// The turn of a local operation is a deadline. Timeout executes the operation, because
// its caller gives it a batch for the consequences.

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

// heedLocals makes the local operation at the front of the queue due.
func (r *requester) heedLocals(now units.Time) {
	for r.cur != r.tail && r.work(r.cur).flags&workDone != 0 {
		r.cur++ // the requester had gone back
	}
	if r.localDue() {
		r.wake = min(r.wake, now)
	}
}

// localDue reports whether the next work request is a local operation that must be executed now. A
// local operation that has failed waits for the work before it.
func (r *requester) localDue() bool {
	if r.cur == r.tail || r.state != StateRTS {
		return false
	}
	w := r.work(r.cur)
	return w.op.local() && (w.flags&(workFence|workFailed) == 0 || r.head == r.cur)
}

// runLocals executes the due local operations.
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

// finishLocals completes the executed local operations at the head.
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
