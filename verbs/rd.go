package verbs

import (
	"fmt"

	"weft/internal/sim/transport"
	"weft/internal/sim/transport/cc"
	"weft/units"
	"weft/verbs/internal/socket"
)

// The reliable datagram (IBA vol. 1, chapters 9 and 10): a queue pair of RD reaches any queue pair
// of its domain at the other end of an end-to-end context, reliably and in order, without its own
// connection. A context connects two devices; the messages of many queue pairs pass through it, one
// at a time. No present hardware has RD, so both ends must be weft.

// RDD is a reliable datagram domain: queue pairs and contexts of one domain belong
// together.
type RDD struct {
	dev  *Device
	id   uint32
	refs int
}

// AllocRDD allocates a domain.
func (d *Device) AllocRDD() *RDD {
	d.port.Lock()
	defer d.port.Unlock()
	d.lastRDD++
	return &RDD{dev: d, id: d.lastRDD}
}

// Dealloc frees the domain; it must be empty.
func (r *RDD) Dealloc() error {
	r.dev.port.Lock()
	defer r.dev.port.Unlock()
	if r.refs > 0 {
		return fmt.Errorf("%w: %d objects are in the reliable datagram domain", ErrBusy, r.refs)
	}
	return nil
}

// EEC is an end-to-end context.
type EEC struct {
	rdd  *RDD
	cfg  transport.Config
	end  socket.Endpoint
	ctx  transport.EEC
	dead bool
}

// CreateEEC creates an unconnected context.
func (r *RDD) CreateEEC() (*EEC, error) {
	e := &EEC{rdd: r}
	e.cfg = transport.Config{
		Flow:    &datagramFlow,
		PathMTU: r.dev.mtu, AckEvery: ackEvery, AskEvery: askEvery, Duplicates: transport.DuplicatesAcked, MaxReads: MaxRdAtomic,
		RetryTimeout: transport.RetryTime(AckTimeout), RetryCount: 7, RNRRetry: 7, RNRTimer: 12,
		CNPInterval: 50 * units.Microsecond, Delivery: transport.EndToEnd, Access: e.remote, Atomic: e.atomic,
	}
	var alg cc.Algorithm
	if r.dev.control != nil {
		alg = r.dev.control()
	}
	if p := r.dev.dcqcn; p != nil {
		e.cfg.PacedOverhead, e.cfg.PaceSlack, e.cfg.CNPInterval = pacedOverhead, paceSlack, p.CNPInterval
	}
	port := r.dev.port
	port.Lock()
	defer port.Unlock()
	if r.dev.closed {
		return nil, ErrClosed
	}
	e.end.Owner, e.end.PKey = (*eecOwner)(e), defaultPKey
	err := port.Attach(&e.end, 0, func(n units.QPN) error {
		if err := e.end.QP.Setup(&e.cfg, transport.RC, n, alg); err != nil {
			return err
		}
		e.end.EEC = &e.ctx
		return e.ctx.Setup(&e.end.QP, r.id, r.dev.datagram)
	})
	if err != nil {
		return nil, fmt.Errorf("verbs: %w", err)
	}
	r.dev.eecs[&e.ctx] = e
	r.refs++
	return e, nil
}

// owner is the queue pair of the device that owns of, nil if it is gone.
func (d *Device) owner(of *transport.RDQP) *QP {
	if of == nil {
		return nil
	}
	if q := d.rd[of.QPN()]; q != nil && q.rd == of {
		return q
	}
	return nil // the number belongs to another queue pair now
}

// datagram is the RD queue pair with a number, nil if there is none.
func (d *Device) datagram(qpn units.QPN) *transport.RDQP {
	if q := d.rd[qpn]; q != nil {
		return q.rd
	}
	return nil
}

// Number is the context's number for the peer's context.
func (e *EEC) Number() QPN { return e.ctx.Number() }

// Connect connects the context to a context of another device; r has its number and first PSN. psn
// is the PSN of its own first request.
func (e *EEC) Connect(r Remote, psn units.PSN) error {
	dev := e.rdd.dev
	dev.port.Lock()
	defer dev.port.Unlock()
	switch {
	case e.dead:
		return ErrClosed
	case r.QPN == 0 || r.QPN >= 1<<24:
		return invalid("the peer's context has the number %d: 1 to %d", r.QPN, 1<<24-1)
	}
	peer, err := dev.peer(r.Addr)
	if err != nil {
		return err
	}
	if err := e.ctx.Connect(dev.port.Now(), r.QPN, psn, r.PSN); err != nil {
		dev.port.Release(peer)
		return fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	dev.port.Release(e.end.Peer)
	e.end.Peer = peer
	return nil
}

// State is the context's state.
func (e *EEC) State() QPState {
	e.rdd.dev.port.Lock()
	defer e.rdd.dev.port.Unlock()
	return QPState(e.end.QP.State())
}

// Destroy destroys the context. The message in progress is flushed; messages that wait for the
// context end with InvEECStateErr.
func (e *EEC) Destroy() error {
	e.rdd.dev.port.Lock()
	defer e.rdd.dev.port.Unlock()
	if e.dead {
		return ErrClosed
	}
	e.destroy()
	return nil
}

func (e *EEC) destroy() {
	e.dead = true
	dev := e.rdd.dev
	if e.end.QP.State() != transport.StateReset {
		e.ctx.Fail(dev.port.Now(), dev.port.Batch())
	}
	dev.port.Detach(&e.end)
	delete(dev.eecs, &e.ctx)
	e.rdd.refs--
}

// joinRDD turns a new queue pair into an RD queue pair.
func (q *QP) joinRDD() {
	q.rd = new(transport.RDQP)
	q.rd.Setup(q.QPN(), q.attr.RDD.id)
	q.pd.dev.rd[q.QPN()] = q
	q.attr.RDD.refs++
}

// handOver passes a message to the transport.
func (q *QP) handOver(rec *sendRecord, t transport.WorkRequest) error {
	port := q.pd.dev.port
	if q.rd == nil {
		return q.end.QP.PostSend(port.Now(), t)
	}
	by := rec.by
	if by == nil || by.dead || by.rdd.dev != q.pd.dev {
		return invalid("a reliable datagram needs an end-to-end context of its device")
	}
	err := q.rd.PostSend(port.Now(), &by.ctx, t, port.Batch())
	port.Schedule(&by.end)
	return err
}

// handOverRecv passes a receive to the transport.
func (q *QP) handOverRecv(r transport.RecvRequest) error {
	port := q.pd.dev.port
	if q.rd == nil {
		return q.end.QP.PostRecv(port.Now(), r)
	}
	return q.rd.PostRecv(r, port.Batch())
}

// pending is the number of messages not yet finished by the transport.
func (q *QP) pending() int {
	if q.rd == nil {
		return q.end.QP.Pending()
	}
	return q.rd.Pending()
}

// state is the state of the queue pair.
func (q *QP) state() transport.State {
	if q.rd == nil {
		return q.end.QP.State()
	}
	return q.rd.State()
}

// drained reports whether all sends that were begun are finished.
func (q *QP) drained() bool {
	if q.rd == nil {
		return q.end.QP.Drained()
	}
	return q.rd.Drained()
}

// fail brings the queue pair to ERR.
func (q *QP) fail() {
	b := q.pd.dev.port.Batch()
	if q.rd == nil {
		q.end.QP.BecomeErr(b)
		return
	}
	_ = q.rd.Become(q.pd.dev.port.Now(), transport.StateErr, b) // ERR can be entered from any state
}

// enterRD is a transition of RD.
func (q *QP) enterRD(a *QPAttr, mask QPAttrMask) error {
	port := q.pd.dev.port
	if err := q.rd.Become(port.Now(), transport.State(a.State), port.Batch()); err != nil {
		return fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	if a.State == StateReset {
		q.forget()
	}
	q.remember(a, mask)
	if mask&AttrAccess != 0 {
		q.access = a.Access
	}
	if mask&AttrQKey != 0 {
		q.qkey = a.QKey
		q.rd.SetQKey(a.QKey)
	}
	if e := q.pd.dev.eecs[q.rd.Next()]; e != nil {
		port.Schedule(&e.end) // sends that waited in SQD go on
	}
	port.Process(&q.end)
	return nil
}

// The device's port calls the methods below with its lock held.

// eecOwner is a context as the owner of its endpoint: it hides these methods from the context's
// users.
type eecOwner EEC

// serving is the destination queue pair of the arriving message.
func (e *EEC) serving() *QP { return e.rdd.dev.owner(e.ctx.Serving()) }

// sending is the queue pair whose message is in progress.
func (e *EEC) sending() *QP { return e.rdd.dev.owner(e.ctx.Current()) }

func (e *EEC) remote(n units.QPN, a transport.Access, rkey uint32, va uint64, length uint32) bool {
	q := e.serving()
	return q != nil && q.remote(n, a, rkey, va, length)
}

func (e *EEC) atomic(n units.QPN, op transport.Op, rkey uint32, va uint64) uint64 {
	return e.serving().atomic(n, op, rkey, va) // remote has just found it
}

// Gather implements socket.Owner.
func (o *eecOwner) Gather(p *transport.Packet, parts [][]byte) ([][]byte, bool) {
	e := (*EEC)(o)
	if p.Op.Response() {
		if q := e.serving(); q != nil {
			return q.gatherRead(p, parts)
		}
		return parts, false
	}
	id, ok := e.end.QP.SourceOf(p)
	q := e.sending()
	if !ok || q == nil {
		return parts, false
	}
	return q.gatherSend(id, p, parts)
}

// Operands implements socket.Owner.
func (o *eecOwner) Operands(p *transport.Packet) (swapAdd, compare uint64) {
	e := (*EEC)(o)
	id, ok := e.end.QP.SourceOf(p)
	if q := e.sending(); ok && q != nil {
		rec := q.sends.at(id)
		return rec.swap, rec.comp
	}
	return 0, 0
}

// Destination implements socket.Owner: RD has a peer.
func (o *eecOwner) Destination(*transport.Packet) *socket.Peer { return o.end.Peer }

// Place implements socket.Owner.
func (o *eecOwner) Place(v transport.Verdict, p *transport.Packet, payload []byte) {
	e := (*EEC)(o)
	q := e.serving()
	if v == transport.PlaceRead || v == transport.PlaceAtomic {
		q = e.sending()
	}
	if q != nil {
		q.place(v, p, payload)
	}
}

// Landing implements socket.Owner: the device forecasts nothing for RD.
func (o *eecOwner) Landing(uint64, uint32, uint32) []byte { return nil }

// Replenish implements socket.Owner: the context takes receives from its queue pairs.
func (o *eecOwner) Replenish() {}

// Completed implements socket.Owner.
func (o *eecOwner) Completed(c *transport.Completion) {
	e := (*EEC)(o)
	dev := e.rdd.dev
	d, tell := e.ctx.Completed(dev.port.Now(), c, dev.port.Batch())
	q := dev.owner(d)
	if q == nil {
		return // its queue pair is gone
	}
	if tell {
		q.completed(c)
	}
	if other := dev.eecs[d.Next()]; other != nil && other != e {
		dev.port.Schedule(&other.end) // the queue pair's next message goes through that context
	}
}
