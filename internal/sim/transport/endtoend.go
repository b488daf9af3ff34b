package transport

import (
	"slices"

	"weft/units"
	"weft/wire"
)

// EEC is an end-to-end context: the shared state of the reliable datagrams between two
// nodes (IBA vol. 1, 9.2.1 and chapter 10 on EE contexts). Its stream is a QP of service
// RC with EndToEnd delivery: it numbers packets, acknowledges and repeats them. The
// context chooses the next queue pair and finds a message's destination. One message is
// under way at a time, as the specification has it; after its error RESYNC goes before
// the next.
//
// The packets of the stream are in RC's form; on the wire their opcodes are RDOffset
// higher, and Address has the fields of RDETH and DETH.
type EEC struct {
	q      *QP
	find   func(units.QPN) *RDQP
	rdd    uint32
	remote units.QPN // the peer's context

	waiting []*RDQP // queue pairs whose next message uses this context
	current *RDQP   // queue pair of the message in progress

	serving *RDQP     // queue pair that the arriving message is for
	lender  *RDQP     // queue pair whose receive the stream has, or had last
	from    units.QPN // the queue pair that sent it, or the last duplicate
}

// Address is the addressing of an RD packet beyond RC's: RDETH and DETH (IBA vol. 1, 9.3.1 and
// 9.3.2).
type Address struct {
	EEC  units.QPN // the receiver's context
	Dest units.QPN // BTH
	Src  units.QPN // DETH, of requests
	QKey uint32    // likewise
}

// Setup makes e the context of a stream in RESET, for the queue pairs of a reliable
// datagram domain, which find finds by their numbers.
func (e *EEC) Setup(stream *QP, rdd uint32, find func(units.QPN) *RDQP) error {
	if stream.req.cfg.Delivery != EndToEnd || stream.req.service != RC {
		return ErrConfig
	}
	*e = EEC{q: stream, rdd: rdd, find: find}
	return nil
}

// Connect takes the stream to RTS: the peer's context, and the first PSNs.
func (e *EEC) Connect(now units.Time, remote units.QPN, sqPSN, rqPSN units.PSN) error {
	e.remote = remote
	return e.q.Connect(now, 0, sqPSN, rqPSN)
}

// Number is the context's EECN.
func (e *EEC) Number() units.QPN { return e.q.req.qpn }

// Serving is the queue pair of the arriving message, or of the last answered one.
func (e *EEC) Serving() *RDQP { return e.serving }

// Current is the queue pair of the message in progress; nil is none.
func (e *EEC) Current() *RDQP { return e.current }

// Address is the address of a packet that the stream has emitted.
func (e *EEC) Address(p *Packet) Address {
	a := Address{EEC: e.remote, Dest: e.from}
	switch ops[p.Op].class {
	case classAck, classReadResponse, classAtomicResponse:
		return a
	}
	if e.current == nil { // a RESYNC belongs to no queue pair
		a.Dest = 0
		return a
	}
	w := e.current.sends[0]
	return Address{EEC: e.remote, Dest: w.wr.DestQP, Src: e.current.qpn, QKey: w.wr.QKey}
}

// Receive takes a packet of the stream with its address.
func (e *EEC) Receive(now units.Time, p *Packet, a Address, b *Batch) Verdict {
	info := &ops[p.Op]
	switch info.class {
	case classAck, classReadResponse, classAtomicResponse:
		if e.current != nil && a.Dest != e.current.qpn {
			return Dropped // of an earlier message
		}
	case classResync:
		e.from = a.Src
		if !p.PSN.Before(e.q.resp.epsn) { // else it is a duplicate, and does not concern this message
			e.takeBack()
		}
	case classSend, classWrite, classReadRequest, classAtomic:
		if info.inv {
			return Dropped // RD has no such operation
		}
		e.from = a.Src
		if p.PSN == e.q.resp.epsn && !e.meant(&a) {
			if e.q.req.state >= StateRTR && e.q.req.state < StateErr {
				e.takeBack()
				e.q.Refuse(e.q.Expected(), wire.NAKInvalidRD, b)
			}
			return Dropped
		}
		if p.PSN == e.q.resp.epsn && e.q.WantsRecv(p) {
			e.lend(now)
		}
	}
	return e.q.Receive(now, p, b)
}

// meant reports whether the next packet belongs to a queue pair here that takes it: in
// the context's domain, with the Q_Key; and in the middle of a message the same queue
// pair as before. It notes the destination of a message.
func (e *EEC) meant(a *Address) bool {
	d := e.find(a.Dest)
	if d == nil || d.rdd != e.rdd || d.qkey != a.QKey || d.state < StateRTR || d.state == StateErr {
		return false
	}
	if e.q.resp.msg.class != classNone {
		return d == e.serving
	}
	e.takeBack()
	e.serve(d)
	e.q.resp.set(&e.q.req.endpoint, e.q.resp.reads[:0]) // of an earlier message, which the peer has had answered
	return true
}

// serve makes d the queue pair of the arriving message; nil is none.
func (e *EEC) serve(d *RDQP) {
	if d == e.serving {
		return
	}
	if was := e.serving; was != nil {
		was.servedBy = slices.DeleteFunc(was.servedBy, func(o *EEC) bool { return o == e })
	}
	if d != nil {
		d.servedBy = append(d.servedBy, e)
	}
	e.serving = d
}

// desert abandons the arriving message, because its queue pair accepts no more: its further packets
// are refused.
func (e *EEC) desert() {
	e.takeBack()
	e.q.resp.msg.class = classNone
	e.serve(nil)
}

// lend gives the stream the oldest receive of the served queue pair.
func (e *EEC) lend(now units.Time) {
	d := e.serving
	if d == nil || len(d.recvs) == 0 {
		return
	}
	if e.q.PostRecv(now, d.recvs[0]) == nil {
		d.recvs = slices.Delete(d.recvs, 0, 1)
		e.lender = d
	}
}

// takeBack returns a receive that an abandoned message had taken.
func (e *EEC) takeBack() {
	if e.q.resp.empty() {
		return
	}
	w, d := e.q.resp.pop(), e.lender
	d.recvs = slices.Insert(d.recvs, 0, RecvRequest{ID: w.id, Length: w.length})
}

// Completed takes a completion that the stream has left in b, and converts it to its queue pair's;
// d is nil if there is none. tell is false if the queue pair needs no completion. Resulting
// completions go to b. Completions of queue pairs in b pass through unchanged. Contexts and queue
// pairs share one space of numbers.
func (e *EEC) Completed(now units.Time, c *Completion, b *Batch) (d *RDQP, tell bool) {
	switch {
	case c.QPN != e.q.req.qpn:
		return e.find(c.QPN), true
	case c.Recv:
		c.QPN, c.SrcQP = e.lender.qpn, e.from
		return e.lender, true
	case c.Op != opResync:
		d, e.current = e.current, nil
		c.QPN = d.qpn
		tell = c.Status != Success || !d.sends[0].wr.Unsignaled
		d.finished(now, c.Status, b)
	}
	e.feed(now)
	if e.q.req.state == StateErr {
		e.abandon(now, b)
	}
	return d, tell
}

// feed gives the stream the next message, when the previous one is finished.
func (e *EEC) feed(now units.Time) {
	for e.current == nil && len(e.waiting) > 0 && e.q.req.state == StateRTS && e.q.Pending() == 0 {
		d := e.waiting[0]
		e.waiting = e.waiting[:copy(e.waiting, e.waiting[1:])]
		e.current = d
		wr := d.sends[0].wr
		wr.Unsignaled, wr.Fence = false, false // a message is finished before the next anyway
		if err := e.q.PostSend(now, wr); err != nil {
			return // it was checked when it was posted: this cannot be
		}
	}
}

// forget removes a queue pair from the waiting ones.
func (e *EEC) forget(d *RDQP) {
	e.waiting = slices.DeleteFunc(e.waiting, func(w *RDQP) bool { return w == d })
}

// Fail ends the context, with the message under way and the messages that wait. Work
// that the stream itself gives up ends with it.
func (e *EEC) Fail(now units.Time, b *Batch) {
	e.desert()
	e.q.BecomeErr(b)
	if e.current == nil {
		e.abandon(now, b)
	}
}

// abandon ends the messages that wait for a failed context.
func (e *EEC) abandon(now units.Time, b *Batch) {
	for len(e.waiting) > 0 {
		d := e.waiting[0]
		e.waiting = e.waiting[1:]
		d.fail(now, InvEECStateErr, b)
	}
}
