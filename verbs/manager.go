package verbs

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"slices"
	"sync"
	"time"

	"weft/units"
	"weft/wire"
	"weft/wire/cm"
)

// manager is the communication manager of a device: queue pair 1, and the
// connections that are made through it. It has a lock of its own, which is taken
// before the device's.
type manager struct {
	dev     *Device
	pd      *PD
	qp      *QP
	cq      *CQ
	mr      *MR
	buf     []byte
	start   time.Time
	cancel  context.CancelFunc
	stopped chan struct{}

	mu        sync.Mutex
	conns     map[cm.ID]*Conn
	asked     map[asker]*Conn // that answer a request, by whose it was
	listeners map[uint64]*Listener
	peers     map[netip.AddrPort]*AH
	nextID    cm.ID
	resolving map[cm.ID]*resolution // questions of this device
	services  map[uint64]*Service
	questions map[asker]*Question // and of others, that are open or may come again
}

// asker names a request: a peer numbers its own.
type asker struct {
	addr netip.Addr
	id   cm.ID
}

const (
	// gsiQKey is the well-known Q_Key of queue pairs 1 (IBA vol. 1, 10.2.5).
	gsiQKey = 0x8001_0000
	gsi     = 1

	// maxBacklog bounds the requests that nobody has accepted, of a listener.
	maxBacklog = 256
	// maxConns bounds the connections of a device: the manager keeps some 1 KiB
	// of each.
	maxConns = 1 << 17
	// maxResolving bounds the questions for queue pairs of UD that are open, and
	// maxQuestions those of peers, that are open or were answered within 4 s: beyond,
	// peers ask again. One that is not answered within questionTime is no longer
	// known by its repetition.
	maxResolving = 1 << 14
	maxQuestions = 1 << 14
	questionTime = time.Minute
	// gsiRecvs are the receives of queue pair 1: more requests at once are lost,
	// and come again.
	gsiRecvs = 256
	gsiRoom  = grhBytes + cm.MADBytes

	// A message that is not answered is sent again. Linux waits 4.3 s; what is
	// lost here is lost to a full buffer.
	answerTime = 250 * time.Millisecond
	answerTry  = 15
	// tickTime is how often unanswered messages are looked at.
	tickTime = 50 * time.Millisecond
)

// manager is the device's, made when it is first needed.
func (d *Device) manager() (*manager, error) {
	d.cmOnce.Do(func() { d.cm, d.cmErr = newManager(d) })
	return d.cm, d.cmErr
}

func newManager(d *Device) (*manager, error) {
	m := &manager{
		dev: d, pd: d.AllocPD(), start: time.Now(), stopped: make(chan struct{}), conns: map[cm.ID]*Conn{}, asked: map[asker]*Conn{},
		listeners: map[uint64]*Listener{}, resolving: map[cm.ID]*resolution{}, services: map[uint64]*Service{}, questions: map[asker]*Question{},
		peers: map[netip.AddrPort]*AH{}, nextID: cm.ID(rand.Uint32()), buf: make([]byte, gsiRecvs*gsiRoom),
	}
	var err error
	if m.cq, err = d.CreateCQ(4 * gsiRecvs); err != nil {
		return nil, err
	}
	if m.mr, err = m.pd.RegMR(m.buf, AccessLocalWrite); err != nil {
		return nil, err
	}
	m.qp, err = m.pd.createQP(QPInitAttr{
		Type: UD, SendCQ: m.cq, RecvCQ: m.cq, MaxSendWR: 2 * gsiRecvs, MaxRecvWR: gsiRecvs, MaxInlineData: cm.MADBytes,
	}, gsi)
	if err != nil {
		return nil, err
	}
	if err := m.qp.ConnectWith(&QPAttr{QKey: gsiQKey}); err != nil {
		return nil, err
	}
	for i := range gsiRecvs {
		if err := m.post(uint64(i)); err != nil {
			return nil, err
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	m.cancel = cancel
	go m.run(ctx)
	return m, nil
}

func (m *manager) post(i uint64) error {
	return m.qp.PostRecv(RecvWR{WRID: i, SGL: []SGE{m.mr.SGE(int(i)*gsiRoom, gsiRoom)}})
}

// run is the manager's goroutine.
func (m *manager) run(ctx context.Context) {
	defer close(m.stopped)
	wc := make([]WC, 64)
	for {
		m.cq.ReqNotify(false)
		n, err := m.cq.Poll(wc)
		if err != nil {
			return
		}
		for i := range wc[:n] {
			if wc[i].Status == WRFlushErr {
				return // the device is closed
			}
			if wc[i].Opcode == WCRecv && wc[i].Status == Success {
				m.take(&wc[i])
				if m.post(wc[i].WRID) != nil {
					return
				}
			}
		}
		m.repeat()
		if n > 0 {
			continue
		}
		tick, cancel := context.WithTimeout(ctx, tickTime)
		err = m.cq.Wait(tick)
		cancel()
		if errors.Is(err, ErrClosed) || ctx.Err() != nil {
			return
		}
	}
}

func (m *manager) now() int64 { return int64(time.Since(m.start)) }

// send sends a message to a device. One that is lost comes again, or is asked for
// again.
func (m *manager) send(to netip.AddrPort, message []byte) {
	ah := m.peers[to]
	if ah == nil {
		var err error
		if ah, err = m.pd.CreateAH(to); err != nil {
			return
		}
		m.peers[to] = ah
	}
	_ = m.qp.PostSend(SendWR{Opcode: Send, Flags: SendInline | SendSignaled, Inline: message, AH: ah, DestQPN: gsi, QKey: gsiQKey})
}

// ask sends a message that wants an answer.
func (m *manager) ask(c *Conn, message []byte) {
	c.message, c.tries, c.again = message, 0, m.now()+int64(answerTime)
	m.send(c.peer, message)
}

// repeat sends again what was not answered, and gives up what never is.
func (m *manager) repeat() {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := m.now()
	for _, c := range m.conns {
		if c.message == nil || now < c.again || c.state == connEstablished {
			continue
		}
		if c.tries++; c.tries >= answerTry {
			m.end(c, ErrNoAnswer)
			continue
		}
		c.again = now + int64(answerTime)
		m.send(c.peer, c.message)
	}
	m.repeatResolutions(now)
}

// add gives the connection an ID.
func (m *manager) add(c *Conn) error {
	if len(m.conns) >= maxConns {
		return fmt.Errorf("%w: %d connections", ErrNoMemory, maxConns)
	}
	for m.nextID == 0 || m.conns[m.nextID] != nil {
		m.nextID++
	}
	c.local = m.nextID
	m.nextID++
	m.conns[c.local] = c
	return nil
}

// end takes a connection out, with the reason; nil is an orderly end.
func (m *manager) end(c *Conn, err error) {
	if c.state == connClosed {
		return
	}
	c.state, c.err, c.message = connClosed, err, nil
	delete(m.conns, c.local)
	delete(m.asked, asker{c.peer.Addr(), c.remote})
	if c.qp != nil { // before anybody is told
		// It fails only if the queue pair is destroyed.
		_ = c.qp.Modify(&QPAttr{State: StateErr}, AttrState)
	}
	closeOnce(c.settled)
	closeOnce(c.finished)
}

func closeOnce(c chan struct{}) {
	select {
	case <-c:
	default:
		close(c)
	}
}

func newConn(m *manager, qp *QP, peer netip.AddrPort, state connState) *Conn {
	return &Conn{m: m, qp: qp, peer: peer, state: state, settled: make(chan struct{}), finished: make(chan struct{})}
}

// defaults fills in what is not set.
func (p ConnParam) defaults() ConnParam {
	if p.ResponderResources == 0 {
		p.ResponderResources = MaxRdAtomic
	}
	if p.InitiatorDepth == 0 {
		p.InitiatorDepth = MaxRdAtomic
	}
	return p
}

// guid stands for a hardware's: it is the device's address.
func (m *manager) guid() uint64 {
	b := m.dev.Addr().Addr().As16()
	var g uint64
	for _, v := range b[8:] {
		g = g<<8 | uint64(v)
	}
	return g
}

// dial sends a REQ.
func (m *manager) dial(qp *QP, peer netip.AddrPort, port uint16, p ConnParam) (*Conn, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	c := newConn(m, qp, peer, connReqSent)
	if err := m.add(c); err != nil {
		return nil, err
	}
	c.param, c.tid = p.defaults(), rand.Uint64()
	local := m.dev.Addr().Addr().Unmap()
	c.asked = cm.Req{
		Local: c.local, Service: cm.ServiceID(port), CAGUID: m.guid(), QPN: qp.QPN(), ResponderResources: c.param.ResponderResources,
		InitiatorDepth: c.param.InitiatorDepth, RemoteTimeout: 20, LocalTimeout: 20, PSN: units.PSN(rand.Uint32() & units.PSNMask),
		RetryCount: 7, PKey: defaultPKey, MTU: cm.MTUCode(m.dev.mtu), RNRRetry: 7, MaxRetries: 15, SRQ: qp.attr.SRQ != nil,
		Path: cm.Path{
			LocalLID: units.PermissiveLID, RemoteLID: units.PermissiveLID,
			LocalGID: cm.GID(local), RemoteGID: cm.GID(peer.Addr().Unmap()), HopLimit: 64, AckTimeout: 14,
		},
	}
	ip := cm.IPHeader{SrcPort: uint16(c.local), Src: local, Dst: peer.Addr().Unmap()}
	ip.Put(c.asked.Private[:])
	copy(c.asked.Private[cm.IPBytes:], p.PrivateData)
	if p.SelectiveRepeat {
		copy(c.asked.Private[cm.ReqPrivate-len(offer):], offer[:])
	}
	m.ask(c, c.asked.AppendTo(head(c.tid, cm.AttrReq)))
	return c, nil
}

func head(tid uint64, a cm.Attribute) []byte {
	h := cm.Header{Transaction: tid, Attribute: a}
	return h.AppendTo(nil)
}

// connect brings the queue pair to RTS. The starting PSN of a message is the one
// at which whoever gets the message begins to send (IBA vol. 1, 12.7.31).
func (c *Conn) connect(dest QPN, theirs, ours units.PSN, mtu int, theirDepth, theirResources uint8) error {
	c.qp.repeatSelectively(c.selective())
	return c.qp.ConnectWith(&QPAttr{
		Access: c.param.Access, PathMTU: min(mtu, c.m.dev.mtu), Dest: c.peer, DestQPN: dest, RQPSN: ours, SQPSN: theirs,
		MaxRdAtomic: int(min(c.param.InitiatorDepth, theirResources)), MaxDestRdAtomic: int(min(c.param.ResponderResources, max(1, theirDepth))),
		MinRNRTimer: 12, Timeout: 14, RetryCnt: 7, RNRRetry: 7,
	})
}

// selective is whether both ends offer selective repeat.
func (c *Conn) selective() bool { return c.offered && c.param.SelectiveRepeat }

// accept answers a REQ with a REP.
func (m *manager) accept(c *Conn, qp *QP, p ConnParam) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if c.state != connReqReceived {
		return fmt.Errorf("%w: the request is answered or withdrawn", ErrClosed)
	}
	c.qp, c.param = qp, p.defaults()
	psn := units.PSN(rand.Uint32() & units.PSNMask)
	r := &c.asked
	if err := c.connect(r.QPN, r.PSN, psn, cm.MTUBytes(r.MTU), r.InitiatorDepth, r.ResponderResources); err != nil {
		m.reject(c, cm.ReasonNoResources, nil)
		m.end(c, err)
		return err
	}
	rep := cm.Rep{
		Local: c.local, Remote: c.remote, QPN: qp.QPN(), PSN: psn, ResponderResources: c.param.ResponderResources,
		InitiatorDepth: c.param.InitiatorDepth, AckDelay: 14, RNRRetry: 7, SRQ: qp.attr.SRQ != nil, CAGUID: m.guid(),
	}
	copy(rep.Private[:], p.PrivateData)
	if c.selective() {
		copy(rep.Private[cm.RepPrivate-len(offer):], offer[:])
	}
	c.state = connRepSent
	m.ask(c, rep.AppendTo(head(c.tid, cm.AttrRep)))
	return nil
}

// refuse answers a REQ with a REJ of the application's.
func (m *manager) refuse(c *Conn, private []byte) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if c.state != connReqReceived {
		return fmt.Errorf("%w: the request is answered or withdrawn", ErrClosed)
	}
	m.reject(c, cm.ReasonConsumer, private)
	m.end(c, ErrRejected)
	return nil
}

func (m *manager) reject(c *Conn, why cm.Reason, private []byte) {
	rej := cm.Rej{Local: c.local, Remote: c.remote, Reason: why}
	copy(rej.Private[:], private)
	m.send(c.peer, rej.AppendTo(head(c.tid, cm.AttrRej)))
}

// disconnect sends a DREQ.
func (m *manager) disconnect(c *Conn) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if c.state != connEstablished {
		m.end(c, ErrClosed)
		return
	}
	c.state = connDreqSent
	dreq := cm.Pair{Local: c.local, Remote: c.remote, QPN: c.asked.QPN}
	m.ask(c, dreq.AppendTo(head(c.tid, cm.AttrDreq)))
}

// source is where a datagram came from: the GRH in front of it says.
func source(grh []byte) netip.Addr {
	if h := new(wire.IPv4Header); h.Parse(grh[grhBytes-wire.IPv4Bytes:]) == nil && slices.Max(grh[:grhBytes-wire.IPv4Bytes]) == 0 {
		return netip.AddrFrom4(h.Src)
	}
	var h wire.IPv6Header
	_ = h.Parse(grh)
	return netip.AddrFrom16(h.Src)
}

// take deals with a datagram to queue pair 1. What is no message, or answers
// nothing that was asked, is dropped.
func (m *manager) take(wc *WC) {
	b := m.buf[wc.WRID*gsiRoom:][:wc.ByteLen]
	var h cm.Header
	body, err := h.Parse(b[grhBytes:])
	if err != nil {
		return
	}
	peer := netip.AddrPortFrom(source(b[:grhBytes]), m.dev.Addr().Port())
	m.mu.Lock()
	defer m.mu.Unlock()
	switch h.Attribute {
	case cm.AttrReq:
		m.takeReq(peer, h.Transaction, body)
	case cm.AttrSidrReq:
		m.takeSidrReq(peer, h.Transaction, body)
	case cm.AttrSidrRep:
		m.takeSidrRep(peer, body)
	case cm.AttrRep:
		m.takeRep(peer, h.Transaction, body)
	case cm.AttrRej:
		var r cm.Rej
		_ = r.Parse(body)
		if c := m.mine(peer, r.Remote); c != nil && c.state != connEstablished {
			c.private = r.Private[:]
			m.end(c, rejection(r.Reason))
		}
	default:
		var p cm.Pair
		_ = p.Parse(body)
		m.takePair(peer, &h, &p)
	}
}

// rejection is the error of a REJ.
func rejection(why cm.Reason) error {
	if why == cm.ReasonInvalidSvc {
		return fmt.Errorf("%w: %w", ErrRejected, ErrNoListener)
	}
	return fmt.Errorf("%w (reason %d)", ErrRejected, why)
}

// mine is the connection of an ID, if it is with that peer.
func (m *manager) mine(peer netip.AddrPort, id cm.ID) *Conn {
	c := m.conns[id]
	if c == nil || c.peer.Addr() != peer.Addr() {
		return nil
	}
	return c
}

// takeReq takes a peer's wish to connect, or its repetition.
func (m *manager) takeReq(peer netip.AddrPort, tid uint64, body []byte) {
	var r cm.Req
	_ = r.Parse(body)
	if c := m.asked[asker{peer.Addr(), r.Local}]; c != nil {
		if c.state == connRepSent {
			m.send(peer, c.message)
		}
		return
	}
	c := newConn(m, nil, peer, connReqReceived)
	c.remote, c.tid, c.asked, c.private = r.Local, tid, r, r.Private[:]
	if _, isIP := cm.Port(r.Service); isIP {
		c.private, c.offered = offers(r.Private[cm.IPBytes:])
	}
	l := m.listeners[r.Service]
	switch {
	case l == nil:
		m.reject(c, cm.ReasonInvalidSvc, nil)
		return
	case r.Service2 != 0 || cm.MTUBytes(r.MTU) == 0:
		m.reject(c, cm.ReasonInvalidTrans, nil)
		return
	case m.add(c) != nil:
		m.reject(c, cm.ReasonNoResources, nil)
		return
	}
	select {
	case l.backlog <- c:
		m.asked[asker{peer.Addr(), r.Local}] = c
	default:
		m.reject(c, cm.ReasonNoResources, nil)
		m.end(c, ErrNoMemory)
	}
}

// takeRep takes the acceptance of what was asked for, or its repetition.
func (m *manager) takeRep(peer netip.AddrPort, tid uint64, body []byte) {
	var r cm.Rep
	_ = r.Parse(body)
	c := m.mine(peer, r.Remote)
	if c == nil || c.state != connReqSent && c.state != connEstablished {
		return
	}
	if c.state == connReqSent {
		c.remote = r.Local
		c.private, c.offered = offers(r.Private[:])
		if err := c.connect(r.QPN, r.PSN, c.asked.PSN, m.dev.mtu, r.InitiatorDepth, r.ResponderResources); err != nil {
			m.reject(c, cm.ReasonNoResources, nil)
			m.end(c, err)
			return
		}
		c.asked.QPN = r.QPN // whom a DREQ names
		m.established(c)
	}
	rtu := cm.Pair{Local: c.local, Remote: c.remote}
	m.send(peer, rtu.AppendTo(head(tid, cm.AttrRtu)))
}

func (m *manager) established(c *Conn) {
	c.state, c.message = connEstablished, nil
	closeOnce(c.settled)
}

// takePair takes RTU, DREQ and DREP.
func (m *manager) takePair(peer netip.AddrPort, h *cm.Header, p *cm.Pair) {
	c := m.mine(peer, p.Remote)
	switch {
	case h.Attribute == cm.AttrRtu && c != nil && c.state == connRepSent:
		m.established(c)
	case h.Attribute == cm.AttrDrep && c != nil && c.state == connDreqSent:
		m.end(c, nil)
	case h.Attribute == cm.AttrDreq:
		// Of a connection that is no more, the answer was lost.
		drep := cm.Pair{Local: p.Remote, Remote: p.Local}
		m.send(peer, drep.AppendTo(head(h.Transaction, cm.AttrDrep)))
		if c != nil {
			m.end(c, nil)
		}
	}
}
