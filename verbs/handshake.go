package verbs

import (
	"fmt"
	"net/netip"

	"weft/units"
	"weft/wire/cm"
)

func newConn(m *manager, qp *QP, peer netip.AddrPort, state connState) *Conn {
	return &Conn{m: m, qp: qp, peer: peer, state: state, settled: make(chan struct{}), finished: make(chan struct{})}
}

// defaults fills in unset fields.
func (p ConnParam) defaults() ConnParam {
	if p.ResponderResources == 0 {
		p.ResponderResources = MaxRdAtomic
	}
	if p.InitiatorDepth == 0 {
		p.InitiatorDepth = MaxRdAtomic
	}
	return p
}

// dial sends a REQ.
func (m *manager) dial(qp *QP, peer netip.AddrPort, port uint16, p ConnParam) (*Conn, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	c := newConn(m, qp, peer, connReqSent)
	if err := m.add(c); err != nil {
		return nil, err
	}
	c.param, c.tid = p.defaults(), secret()
	local := m.dev.Addr().Addr().Unmap()
	c.asked = cm.Req{
		Local: c.local, Service: cm.ServiceID(port), CAGUID: m.dev.guid(), QPN: qp.QPN(), ResponderResources: c.param.ResponderResources,
		InitiatorDepth: c.param.InitiatorDepth, RemoteTimeout: 20, LocalTimeout: 20, PSN: units.PSN(secret() & units.PSNMask),
		RetryCount: 7, PKey: defaultPKey, MTU: cm.MTUCode(m.dev.mtu), RNRRetry: 7, MaxRetries: 15, SRQ: qp.attr.SRQ != nil,
		Path: cm.Path{
			LocalLID: units.PermissiveLID, RemoteLID: units.PermissiveLID,
			LocalGID: cm.GID(local), RemoteGID: cm.GID(peer.Addr().Unmap()), HopLimit: 64, AckTimeout: AckTimeout,
		},
	}
	ip := cm.IPHeader{SrcPort: uint16(c.local), Src: local, Dst: peer.Addr().Unmap()}
	ip.Put(c.asked.Private[:])
	copy(c.asked.Private[cm.IPBytes:], p.PrivateData)
	if !p.GoBackN {
		copy(c.asked.Private[cm.ReqPrivate-len(offer):], offer[:])
	}
	m.ask(c, c.asked.AppendTo(head(c.tid, cm.AttrReq)))
	return c, nil
}

func head(tid uint64, a cm.Attribute) []byte {
	h := cm.Header{Transaction: tid, Attribute: a}
	return h.AppendTo(nil)
}

// connect brings the queue pair to RTS. The starting PSN in a message is the first PSN that the
// message's receiver must send (IBA vol. 1, 12.7.31).
func (c *Conn) connect(dest QPN, theirs, ours units.PSN, mtu int, theirDepth, theirResources uint8) error {
	return c.qp.ConnectWith(&QPAttr{
		Access: c.param.Access, PathMTU: min(mtu, c.m.dev.mtu), Dest: c.peer, DestQPN: dest, RQPSN: ours, SQPSN: theirs,
		MaxRdAtomic: int(min(c.param.InitiatorDepth, theirResources)), MaxDestRdAtomic: int(min(c.param.ResponderResources, max(1, theirDepth))),
		MinRNRTimer: 12, Timeout: AckTimeout, RetryCnt: 7, RNRRetry: 7, SelectiveRepeat: c.selective(),
	})
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
	c.qp, c.param = qp, p.defaults()
	psn := units.PSN(secret() & units.PSNMask)
	r := &c.asked
	if err := c.connect(r.QPN, r.PSN, psn, cm.MTUBytes(r.MTU), r.InitiatorDepth, r.ResponderResources); err != nil {
		m.reject(c, cm.ReasonNoResources, nil)
		m.end(c, err)
		return err
	}
	rep := cm.Rep{
		Local: c.local, Remote: c.remote, QPN: qp.QPN(), PSN: psn, ResponderResources: c.param.ResponderResources,
		InitiatorDepth: c.param.InitiatorDepth, AckDelay: 14, RNRRetry: 7, SRQ: qp.attr.SRQ != nil, CAGUID: m.dev.guid(),
	}
	copy(rep.Private[:], p.PrivateData)
	if c.selective() {
		copy(rep.Private[cm.RepPrivate-len(offer):], offer[:])
	}
	c.state = connRepSent
	m.ask(c, rep.AppendTo(head(c.tid, cm.AttrRep)))
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

func (c *Conn) rejection(why cm.Reason, private []byte) []byte {
	rej := cm.Rej{Local: c.local, Remote: c.remote, Reason: why}
	copy(rej.Private[:], private)
	return rej.AppendTo(head(c.tid, cm.AttrRej))
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
