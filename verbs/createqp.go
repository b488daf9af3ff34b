package verbs

import (
	"fmt"

	"weft/internal/sim/transport"
	"weft/internal/sim/transport/cc"
	"weft/units"
)

// CreateQP creates a queue pair in RESET.
func (p *PD) CreateQP(a QPInitAttr) (*QP, error) {
	return p.createQP(a, 0)
}

// createQP creates a queue pair with a number, or with any number if qpn is 0.
func (p *PD) createQP(a QPInitAttr, qpn QPN) (*QP, error) {
	switch {
	case a.Type > XRCRecv:
		return nil, invalid("no service with the number %d", a.Type)
	case !a.hasQueues(p.dev):
		return nil, invalid("a queue pair needs completion queues of its device, for each of its queues")
	case a.MaxSendWR < 0 || a.MaxSendWR > MaxQPWR || a.MaxRecvWR < 0 || a.MaxRecvWR > MaxQPWR:
		return nil, invalid("%d sends and %d receives: 0 to %d", a.MaxSendWR, a.MaxRecvWR, MaxQPWR)
	case a.MaxInlineData < 0 || a.MaxInlineData > MaxInline:
		return nil, invalid("%d bytes of inline data: 0 to %d", a.MaxInlineData, MaxInline)
	case a.SRQ != nil && a.SRQ.pd != p:
		return nil, invalid("the shared receive queue is of another protection domain")
	case (a.Type == XRCRecv) != (a.XRCD != nil) || a.Type >= XRCSend && a.SRQ != nil:
		return nil, invalid("a queue pair of XRC names shared receive queues in its messages, " +
			"and the receiving end has a domain for them")
	}
	q := &QP{pd: p, attr: a}
	q.cfg = transport.Config{
		PathMTU: p.dev.mtu, AckEvery: ackEvery, AskEvery: askEvery, Duplicates: transport.DuplicatesAcked,
		MaxReads: MaxRdAtomic,
		Flow:     &plainFlow, CNPInterval: 50 * units.Microsecond,
		Access: q.remote, Receivable: q.receivable,
		Atomic: q.atomic, Local: q.local, Invalidate: q.remoteInvalidate,
	}
	if p.dev.fabric != nil {
		q.emulate(&p.dev.fabric.Welcome.QueuePairs)
	}
	var alg cc.Algorithm
	if p.dev.control != nil && a.Type != UD {
		alg = p.dev.control()
		if p.dev.fabric == nil {
			q.cfg.PacedOverhead, q.cfg.PaceSlack = pacedOverhead, paceSlack
			q.cfg.CNPInterval = p.dev.dcqcn.CNPInterval
		}
	}
	p.dev.port.Lock()
	defer p.dev.port.Unlock()
	if p.dev.closed {
		return nil, ErrClosed
	}
	q.end.Owner, q.end.PKey = (*qpOwner)(q), defaultPKey
	if a.Type >= XRCSend {
		q.end.RemoteSRQ = q.remoteSRQ
	}
	err := p.dev.port.Attach(&q.end, qpn, func(n units.QPN) error {
		return q.end.QP.Setup(&q.cfg, a.Type.service(), n, alg)
	})
	if err != nil {
		return nil, fmt.Errorf("verbs: %w", err)
	}
	p.dev.qps[q] = struct{}{}
	a.use(p, 1)
	return q, nil
}

const (
	// defaultPKey is the full member of the default partition, the only entry of RoCE's table (IBA
	// vol. 1, A17.7).
	defaultPKey = 0xffff

	// ackEvery: a message is acknowledged at its end, and earlier only when the requester asks, as
	// in Linux's soft-RoCE.
	ackEvery = 1 << 20
	// askEvery: the requester asks often enough that a window never closes for want of an
	// acknowledgement.
	askEvery = 32
	// pacedOverhead is the overhead of a packet on the cable: Ethernet with preamble and gap 38,
	// IPv4 20, UDP 8, BTH 12 and ICRC 4 bytes.
	pacedOverhead = 82
	// paceSlack is the delay that pacing makes up for. A sleeping thread wakes up to 50 us late
	// (the default of timer slack, prctl(2)) and then waits for a processor. The resulting burst is
	// a fifth of the burst that Linux's TCP allows at a pacing rate: 1 ms (sk_pacing_shift).
	paceSlack = 200 * units.Microsecond
)

// hasQueues reports whether the completion queues are there that the service needs.
func (a *QPInitAttr) hasQueues(d *Device) bool {
	sends, receives := a.SendCQ != nil && a.SendCQ.dev == d, a.RecvCQ != nil && a.RecvCQ.dev == d
	switch a.Type {
	case XRCSend:
		return sends && a.RecvCQ == nil
	case XRCRecv:
		return a.SendCQ == nil && a.RecvCQ == nil
	default:
		return sends && receives
	}
}

// use counts a queue pair at the objects that it uses.
func (a *QPInitAttr) use(p *PD, by int) {
	p.refs += by
	for _, c := range []*CQ{a.SendCQ, a.RecvCQ} {
		if c != nil {
			c.refs += by
		}
	}
	if a.SRQ != nil {
		a.SRQ.refs += by
	}
	if a.XRCD != nil {
		a.XRCD.refs += by
	}
}

// CreateQP creates a receiving queue pair of the domain in RESET.
func (x *XRCD) CreateQP() (*QP, error) { return x.pd.CreateQP(QPInitAttr{Type: XRCRecv, XRCD: x}) }

// Destroy destroys the queue pair. Unfinished work completes with WRFlushErr; the verbs drop it
// without a completion. It returns ErrBusy while the queue pair is attached to a multicast group.
func (q *QP) Destroy() error {
	q.linger()
	q.pd.dev.port.Lock()
	defer q.pd.dev.port.Unlock()
	if q.dead {
		return ErrClosed
	}
	if q.pd.dev.port.Attends(&q.end) {
		return fmt.Errorf("%w: the queue pair is attached to a multicast group", ErrBusy)
	}
	q.destroy()
	return nil
}

// destroy is Destroy, with the lock held.
func (q *QP) destroy() {
	if q.dead {
		return
	}
	q.dead = true
	port := q.pd.dev.port
	if q.end.QP.State() != transport.StateReset {
		q.fail()
	}
	port.Detach(&q.end)
	for w := range q.windows {
		w.unbind()
	}
	delete(q.pd.dev.qps, q)
	q.attr.use(q.pd, -1)
}
