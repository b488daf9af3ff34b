package verbs

import (
	"fmt"
	"net/netip"

	"weft/internal/sim/transport"
	"weft/internal/sim/transport/cc"
	"weft/units"
	"weft/verbs/internal/socket"
)

// QPType is the transport service of a queue pair.
type QPType uint8

// The services.
const (
	RC      QPType = iota // reliable connection
	UC                    // unreliable connection
	UD                    // unreliable datagram
	XRCSend               // extended reliable connection, the end that sends: see XRCD
	XRCRecv               // and the end that receives
)

func (t QPType) String() string {
	return [...]string{RC: "RC", UC: "UC", UD: "UD", XRCSend: "XRC, sending", XRCRecv: "XRC, receiving"}[t]
}

func (t QPType) service() transport.Service {
	return [...]transport.Service{RC: transport.RC, UC: transport.UC, UD: transport.UD, XRCSend: transport.RC, XRCRecv: transport.RC}[t]
}

// QPState is the state of a queue pair (IBA vol. 1, 10.3.1).
type QPState uint8

// The states, with the numbers of ibv_qp_state.
const (
	StateReset QPState = iota
	StateInit
	StateRTR
	StateRTS
	StateSQD
	StateSQE
	StateErr
)

func (s QPState) String() string { return transport.State(s).String() }

// QPInitAttr are the parameters of a new queue pair.
type QPInitAttr struct {
	Type           QPType
	SendCQ, RecvCQ *CQ
	SRQ            *SRQ  // replaces the receive queue; not for XRC
	XRCD           *XRCD // for XRCRecv, which has no completion queues of its own; XRCSend has no RecvCQ
	MaxSendWR      int
	MaxRecvWR      int
	MaxInlineData  int
	SignalAll      bool // every send completes, whatever its flags
}

// QP is a queue pair.
type QP struct {
	pd   *PD
	attr QPInitAttr
	cfg  transport.Config
	end  socket.Endpoint

	access Access
	qkey   uint32
	set    QPAttr // attributes last set
	dead   bool
	fault  Status // a local error to report with the present completion

	sends sendRecords
	recvs recvRecords

	scratch []segment
	windows windowSet
}

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
		return nil, invalid("a queue pair of XRC names shared receive queues in its messages, and the receiving end has a domain for them")
	}
	q := &QP{pd: p, attr: a}
	q.cfg = transport.Config{
		PathMTU: p.dev.mtu, AckEvery: ackEvery, AskEvery: askEvery, Duplicates: transport.DuplicatesAcked, MaxReads: MaxRdAtomic,
		Flow: &plainFlow, CNPInterval: 50 * units.Microsecond, Access: q.remote, Receivable: q.receivable, Atomic: q.atomic, Local: q.local, Invalidate: q.remoteInvalidate,
	}
	if p.dev.fabric != nil {
		q.emulate(&p.dev.fabric.Welcome.QueuePairs)
	}
	var alg cc.Algorithm
	if p.dev.control != nil && a.Type != UD {
		alg = p.dev.control()
		if p.dev.fabric == nil {
			q.cfg.PacedOverhead, q.cfg.PaceSlack, q.cfg.CNPInterval = pacedOverhead, paceSlack, p.dev.dcqcn.CNPInterval
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

// QPN is the queue pair's number.
func (q *QP) QPN() QPN { return q.end.QP.QPN() }

// Rate is the send rate that congestion control allows the queue pair; 0 is no limit.
func (q *QP) Rate() units.Rate {
	q.pd.dev.port.Lock()
	defer q.pd.dev.port.Unlock()
	return q.end.QP.Rate()
}

// State is the queue pair's state.
func (q *QP) State() QPState {
	q.pd.dev.port.Lock()
	defer q.pd.dev.port.Unlock()
	return QPState(q.end.QP.State())
}

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

// fail brings the queue pair to ERR.
func (q *QP) fail() { q.end.QP.BecomeErr(q.pd.dev.port.Batch()) }

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

// Remote identifies a queue pair to a peer that connects to it.
type Remote struct {
	Addr netip.AddrPort // port 0 is 4791
	QPN  QPN
	PSN  units.PSN // of its first request
}

// Remote is what the peer needs to connect to the queue pair. psn is the PSN of the queue pair's own first request, as
// its Connect gets it.
func (q *QP) Remote(psn units.PSN) Remote {
	return Remote{Addr: q.pd.dev.Addr(), QPN: q.QPN(), PSN: psn}
}

// Connect takes a new queue pair of a connected service to RTS, with the usual values: the device's
// path MTU, timeout 16, 7 retries, RNR timer 12. psn is the PSN of its own first request, and
// access the peer's rights.
func (q *QP) Connect(r Remote, psn units.PSN, access Access) error {
	a := q.usual(r, psn, access)
	return q.ConnectWith(&a)
}

// usual are the attributes that Connect sets.
func (q *QP) usual(r Remote, psn units.PSN, access Access) QPAttr {
	return QPAttr{
		Access: access, PathMTU: q.pd.dev.mtu, Dest: r.Addr, DestQPN: r.QPN, RQPSN: r.PSN, SQPSN: psn,
		MaxRdAtomic: MaxRdAtomic, MaxDestRdAtomic: MaxRdAtomic, MinRNRTimer: 12, Timeout: AckTimeout, RetryCnt: 7, RNRRetry: 7,
	}
}

// ConnectWith takes a new queue pair through INIT and RTR to RTS. a must have all attributes that
// the three transitions require.
func (q *QP) ConnectWith(a *QPAttr) error {
	for _, s := range []QPState{StateInit, StateRTR, StateRTS} {
		a.State = s
		mask := q.need(s)
		if s == StateRTR && a.SelectiveRepeat && q.attr.Type == RC {
			mask |= AttrSelectiveRepeat
		}
		if err := q.Modify(a, mask); err != nil {
			return err
		}
	}
	return nil
}
