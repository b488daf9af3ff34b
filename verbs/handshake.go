package verbs

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"net/netip"
	"slices"

	"weft/units"
	"weft/wire/cm"
)

func newConn(m *manager, peer netip.AddrPort, state connState) *Conn {
	return &Conn{m: m, peer: peer, state: state, settled: make(chan struct{}), finished: make(chan struct{})}
}

// take gives a connection its queue pair, or the number of the program's own, and reports whether it
// takes its receives from a shared queue.
func (c *Conn) take(qp *QP, p *ConnParam, xrc QPType) (shared bool, err error) {
	switch {
	case (qp == nil) == (p.QPN == 0):
		return false, invalid("a connection needs a queue pair, or the number of one that the program connects")
	case qp == nil:
		c.qpn, c.service = p.QPN, p.Type
	default:
		c.qp, c.qpn, c.service = qp, qp.QPN(), qp.attr.Type
		shared = qp.attr.SRQ != nil
	}
	if c.service != RC && c.service != xrc {
		return false, invalid("a connection has a queue pair of RC, or of XRC: XRCSend asks, XRCRecv accepts; this is %v", c.service)
	}
	return shared, nil
}

// The transport service of a REQ for XRC (IBA vol. 1, 12.7.22 and annex A14).
const (
	serviceExtended = 3
	extendedXRC     = 1
)

// asks sets the service of a REQ.
func (c *Conn) asks(r *cm.Req) {
	if c.service == XRCSend {
		r.Service2, r.Extended = serviceExtended, extendedXRC
	}
}

// askedService is the service of a peer's queue pair that sends a REQ; false if connections have no such.
func askedService(r *cm.Req) (t QPType, ok bool) {
	switch {
	case r.Service2 == 0:
		return RC, true
	case r.Service2 == serviceExtended && r.Extended == extendedXRC:
		return XRCSend, true
	}
	return 0, false
}

// defaults fills in unset fields.
func (p ConnParam) defaults() ConnParam {
	if p.ResponderResources == 0 {
		p.ResponderResources = MaxRdAtomic
	}
	if p.InitiatorDepth == 0 {
		p.InitiatorDepth = MaxRdAtomic
	}
	p.AckTimeout = cmp.Or(p.AckTimeout, AckTimeout)
	return p
}

// dial sends a REQ.
func (m *manager) dial(qp *QP, peer netip.AddrPort, port uint16, p ConnParam) (*Conn, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	c := newConn(m, peer, connReqSent)
	shared, err := c.take(qp, &p, XRCSend)
	if err == nil {
		err = m.add(c)
	}
	if err != nil {
		return nil, err
	}
	c.param, c.tid, c.until = p.defaults(), secret(), m.now()+int64(p.Patience)
	local := m.dev.Addr().Addr().Unmap()
	c.asked = cm.Req{
		Local: c.local, Service: p.Space.service(port), CAGUID: m.dev.guid(), QPN: c.qpn, ResponderResources: c.param.ResponderResources,
		InitiatorDepth: c.param.InitiatorDepth, RemoteTimeout: 20, LocalTimeout: 20, PSN: units.PSN(secret() & units.PSNMask),
		RetryCount: 7, PKey: defaultPKey, MTU: cm.MTUCode(m.dev.mtu), RNRRetry: 7, MaxRetries: 15, SRQ: shared,
		Path: cm.Path{
			LocalLID: units.PermissiveLID, RemoteLID: units.PermissiveLID,
			LocalGID: cm.GID(local), RemoteGID: cm.GID(peer.Addr().Unmap()), HopLimit: 64, AckTimeout: c.param.AckTimeout,
		},
	}
	c.asks(&c.asked)
	ip := cm.IPHeader{SrcPort: uint16(c.local), Src: local, Dst: peer.Addr().Unmap()}
	ip.Put(c.asked.Private[:])
	copy(c.asked.Private[cm.IPBytes:], p.PrivateData)
	if !p.GoBackN && qp != nil && c.service == RC {
		copy(c.asked.Private[cm.ReqPrivate-len(offer):], offer[:])
	}
	m.ask(c, c.asked.AppendTo(head(c.tid, cm.AttrReq)))
	return c, nil
}

func head(tid uint64, a cm.Attribute) []byte {
	h := cm.Header{Transaction: tid, Attribute: a}
	return h.AppendTo(nil)
}

// known sets the attributes of the queue pair, once both messages are known. The starting PSN in a
// message is the first PSN that the message's receiver must send (IBA vol. 1, 12.7.31).
func (c *Conn) known(theirs, ours units.PSN, mtu int) {
	c.attr = QPAttr{
		Access: c.param.Access, PathMTU: min(mtu, c.m.dev.mtu), Dest: c.peer, DestQPN: c.theirs.QPN, RQPSN: ours, SQPSN: theirs,
		MaxRdAtomic:     int(min(c.param.InitiatorDepth, c.theirs.ResponderResources)),
		MaxDestRdAtomic: int(min(c.param.ResponderResources, max(1, c.theirs.InitiatorDepth))),
		MinRNRTimer:     12, Timeout: c.param.AckTimeout, RetryCnt: 7, RNRRetry: 7, SelectiveRepeat: c.selective() && c.qp != nil,
	}
}

// plan sets the attributes for a request that is about to be accepted, with a PSN of its own.
func (c *Conn) plan(r *cm.Req) {
	if c.psn == 0 {
		c.psn = units.PSN(secret()&units.PSNMask) | 1
	}
	c.known(r.PSN, c.psn, cm.MTUBytes(r.MTU))
}

// connect brings the queue pair to RTS, if it is not the program's own.
func (c *Conn) connect() error {
	if c.qp == nil {
		return nil
	}
	return c.qp.ConnectWith(&c.attr)
}

// attrOf is the attributes for a state, and which of them are set.
func (c *Conn) attrOf(s QPState) (QPAttr, QPAttrMask, error) {
	if s != StateInit && s != StateRTR && s != StateRTS || s != StateInit && c.attr.DestQPN == 0 {
		return QPAttr{}, 0, invalid("attributes for %v: the connection has none yet", s)
	}
	a := c.attr
	a.State, a.Access = s, c.param.Access
	return a, needs[s][c.service].must, nil
}

// selective reports whether both ends offer selective repeat.
func (c *Conn) selective() bool { return c.offered && !c.param.GoBackN }

// accept answers a REQ with a REP.
func (m *manager) accept(c *Conn, qp *QP, p ConnParam) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if c.state != connReqReceived {
		return fmt.Errorf("%w: the request is already answered or withdrawn", ErrClosed)
	}
	shared, err := c.take(qp, &p, XRCRecv)
	if err == nil && c.service != accepting[c.theirs.Type] {
		err = invalid("the peer's queue pair is of %v, and this one of %v", c.theirs.Type, c.service)
	}
	if err != nil {
		return err
	}
	c.param = p.defaults()
	c.plan(&c.asked)
	if err := c.connect(); err != nil {
		m.reject(c, cm.ReasonNoResources, nil)
		m.end(c, err)
		return err
	}
	rep := cm.Rep{
		Local: c.local, Remote: c.remote, QPN: c.qpn, PSN: c.psn, ResponderResources: c.param.ResponderResources,
		InitiatorDepth: c.param.InitiatorDepth, AckDelay: 14, RNRRetry: 7, SRQ: shared, CAGUID: m.dev.guid(),
	}
	if c.service == XRCRecv {
		rep.QPN, rep.EEC, rep.SRQ = 0, c.qpn, true
	}
	copy(rep.Private[:], p.PrivateData)
	if c.attr.SelectiveRepeat {
		copy(rep.Private[cm.RepPrivate-len(offer):], offer[:])
	}
	c.state, c.rep = connRepSent, rep.AppendTo(head(c.tid, cm.AttrRep))
	m.ask(c, c.rep)
	return nil
}

// refuse answers a REQ with the application's REJ.
func (m *manager) refuse(c *Conn, private []byte) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if c.state != connReqReceived {
		return fmt.Errorf("%w: the request is already answered or withdrawn", ErrClosed)
	}
	m.reject(c, cm.ReasonConsumer, private)
	m.end(c, ErrRejected)
	return nil
}

func (m *manager) reject(c *Conn, why cm.Reason, private []byte) {
	m.send(c.peer, c.rejection(why, private))
}

// tooLong rejects a REQ with a path MTU for which this side has no room, with the greatest one.
func (c *Conn) tooLong() []byte {
	rej := cm.Rej{Local: c.local, Remote: c.remote, Reason: cm.ReasonInvalidMTU, InfoBytes: 1}
	rej.Info[0] = cm.MTUCode(c.m.dev.mtu)
	return rej.AppendTo(head(c.tid, cm.AttrRej))
}

// shorten sends a REQ anew with the path MTU for which the peer has room; false if the peer names none that is smaller.
func (m *manager) shorten(c *Conn, r *cm.Rej) bool {
	if mtu := cm.MTUBytes(r.Info[0]); r.InfoBytes == 0 || mtu == 0 || mtu >= cm.MTUBytes(c.asked.MTU) {
		return false
	}
	c.asked.MTU, c.tid = r.Info[0], secret()
	m.ask(c, c.asked.AppendTo(head(c.tid, cm.AttrReq)))
	return true
}

func (c *Conn) rejection(why cm.Reason, private []byte) []byte {
	rej := cm.Rej{Local: c.local, Remote: c.remote, Reason: why}
	copy(rej.Private[:], private)
	return rej.AppendTo(head(c.tid, cm.AttrRej))
}

// leave says good bye to all peers, and answers once more those that have said it. It waits until all have
// answered.
func (m *manager) leave(ctx context.Context) {
	m.mu.Lock()
	for _, p := range m.parted {
		m.send(p.to, p.message)
	}
	open := slices.Collect(maps.Values(m.conns))
	m.mu.Unlock()
	for _, c := range open {
		m.disconnect(c)
	}
	for _, c := range open {
		select {
		case <-c.finished:
		case <-m.stopped:
			return
		case <-ctx.Done():
			return
		}
	}
}

// disconnect sends a DREQ.
func (m *manager) disconnect(c *Conn) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if c.state == connDreqSent {
		return // it is repeated until it is answered
	}
	if c.state != connEstablished {
		m.end(c, ErrClosed)
		return
	}
	c.state = connDreqSent
	dreq := cm.Pair{Local: c.local, Remote: c.remote, QPN: c.asked.QPN}
	m.ask(c, dreq.AppendTo(head(c.tid, cm.AttrDreq)))
}
