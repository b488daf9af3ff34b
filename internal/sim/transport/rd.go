package transport

import (
	"fmt"
	"slices"

	"weft/units"
)

// RDQP is a queue pair of the reliable datagram: each of its messages goes through an end-to-end
// context of its domain to any queue pair at the context's other end. Its messages are sent in the
// order of posting, one at a time (IBA vol. 1, chapter 9, on reliable datagrams).
type RDQP struct {
	qpn   units.QPN
	rdd   uint32
	qkey  uint32
	state State
	sends []rdWork // the first is with its context
	recvs []RecvRequest

	servedBy []*EEC // contexts of the last messages for it
}

type rdWork struct {
	wr WorkRequest
	by *EEC
}

// Setup makes d a queue pair of a domain in RESET.
func (d *RDQP) Setup(qpn units.QPN, rdd uint32) { *d = RDQP{qpn: qpn, rdd: rdd} }

// QPN is the queue pair's number.
func (d *RDQP) QPN() units.QPN { return d.qpn }

// State is the queue pair's state.
func (d *RDQP) State() State { return d.state }

// Next is the context of the queue pair's oldest message; nil is none.
func (d *RDQP) Next() *EEC {
	if len(d.sends) == 0 {
		return nil
	}
	return d.sends[0].by
}

// SetQKey sets the required Q_Key of messages to this queue pair.
func (d *RDQP) SetQKey(qkey uint32) { d.qkey = qkey }

// Pending is the number of unfinished sends.
func (d *RDQP) Pending() int { return len(d.sends) }

// Become enters a state that software may request. In ERR all work is flushed except a message in
// progress, which ends first. In RESET and ERR arriving messages are abandoned.
func (d *RDQP) Become(now units.Time, to State, b *Batch) error {
	if to != StateReset && to != StateErr && !legal[d.state][to] {
		return fmt.Errorf("%w: queue pair %d from %v to %v", ErrTransition, d.qpn, d.state, to)
	}
	if to == StateReset && d.Busy() {
		return fmt.Errorf("%w: queue pair %d has a message under way", ErrTransition, d.qpn)
	}
	d.state = to
	for (to == StateReset || to == StateErr) && len(d.servedBy) > 0 {
		d.servedBy[0].desert()
	}
	switch to {
	case StateReset:
		d.sends, d.recvs = nil, nil
	case StateErr:
		d.flush(b)
	case StateRTS, StateSQD:
		if len(d.sends) > 0 && !d.Busy() {
			d.sends[0].by.forget(d)
			d.offer(now, b)
		}
	}
	return nil
}

// Busy reports whether a message of the queue pair is in progress.
func (d *RDQP) Busy() bool { return len(d.sends) > 0 && d.sends[0].by.current == d }

// Drained reports whether no message is in progress.
func (d *RDQP) Drained() bool { return !d.Busy() }

// PostRecv appends a receive.
func (d *RDQP) PostRecv(r RecvRequest, b *Batch) error {
	switch {
	case d.state == StateReset:
		return ErrState
	case len(d.recvs) >= MaxRecvQueue:
		return ErrQueueFull
	}
	d.recvs = append(d.recvs, r)
	if d.state == StateErr {
		d.flush(b)
	}
	return nil
}

// PostSend appends a message to wr.DestQP at the other end of a context. An error of the context or
// its domain is reported in the completion.
func (d *RDQP) PostSend(now units.Time, by *EEC, wr WorkRequest, b *Batch) error {
	switch {
	case d.state < StateRTS:
		return ErrState
	case wr.Op >= numOps || wr.Op == OpSendInv || wr.Op.local():
		return ErrOperation
	case by == nil:
		return ErrConfig
	case uint64(wr.Length) > MaxMessageBytes, wr.Op.atomic() && wr.Length != AtomicBytes,
		uint64(wr.Length) > uint64(by.q.req.cfg.PathMTU)*MaxOutstandingPSNs:
		return ErrTooLong
	case len(d.sends) >= MaxSendQueue:
		return ErrQueueFull
	}
	d.sends = append(d.sends, rdWork{wr, by})
	if d.state == StateErr || d.state == StateSQE {
		d.flush(b)
		return nil
	}
	if len(d.sends) == 1 {
		d.offer(now, b)
	}
	return nil
}

// offer passes the oldest message to its context.
func (d *RDQP) offer(now units.Time, b *Batch) {
	if len(d.sends) == 0 || d.state != StateRTS {
		return
	}
	e := d.sends[0].by
	switch {
	case d.sends[0].wr.Refused:
		d.fail(now, LocProtErr, b)
	case e.rdd != d.rdd:
		d.fail(now, LocRDDViolErr, b)
	case e.q.req.state != StateRTS:
		d.fail(now, InvEECStateErr, b)
	default:
		e.waiting = append(e.waiting, d)
		e.feed(now)
	}
}

// finished removes the oldest message, which its context has sent or abandoned. An error ends the
// send queue.
func (d *RDQP) finished(now units.Time, status Status, b *Batch) {
	d.sends = slices.Delete(d.sends, 0, 1)
	switch {
	case d.state == StateErr || status != Success:
		if d.state != StateErr {
			d.state = StateSQE
		}
		d.flush(b)
	default:
		d.offer(now, b)
	}
}

// fail completes the oldest message with an error before any packet was sent.
func (d *RDQP) fail(now units.Time, status Status, b *Batch) {
	w := d.sends[0].wr
	b.Completions = append(b.Completions, Completion{ID: w.ID, QPN: d.qpn, Op: w.Op, Status: status})
	d.finished(now, status, b)
}

// flush completes the sends that are not under way, and in ERR the receives.
func (d *RDQP) flush(b *Batch) {
	kept := 0
	if d.Busy() {
		kept = 1
	}
	for _, w := range d.sends[kept:] {
		w.by.forget(d)
		b.Completions = append(b.Completions, Completion{ID: w.wr.ID, QPN: d.qpn, Op: w.wr.Op, Status: WRFlushErr})
	}
	d.sends = d.sends[:kept]
	if d.state != StateErr {
		return
	}
	for _, r := range d.recvs {
		b.Completions = append(b.Completions, Completion{ID: r.ID, QPN: d.qpn, Status: WRFlushErr, Recv: true})
	}
	d.recvs = d.recvs[:0]
}
