package verbs

import (
	"context"
	"fmt"
	"maps"
	"net/netip"
	"slices"

	"weft/units"
	"weft/wire/cm"
)

// dial sends a REQ.
func (m *manager) dial(qp *QP, peer netip.AddrPort, port uint16, p ConnParam) (*Conn, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	c := newConn(m, peer, connReqSent)
	shared, err := c.setQueuePair(qp, &p, XRCSend)
	if err == nil {
		err = m.register(c)
	}
	if err != nil {
		return nil, err
	}
	c.param, c.tid, c.until = p.defaults(), secret(), m.now()+int64(p.Patience)
	local := m.dev.Addr().Addr().Unmap()
	c.asked = cm.Req{
		Local: c.local, Service: p.Space.service(port), CAGUID: m.dev.guid(), QPN: c.qpn,
		ResponderResources: c.param.ResponderResources,
		InitiatorDepth:     c.param.InitiatorDepth, RemoteTimeout: 20, LocalTimeout: 20,
		PSN:        units.PSN(secret() & units.PSNMask),
		RetryCount: 7, PKey: defaultPKey, MTU: cm.MTUCode(m.dev.mtu), RNRRetry: 7, MaxRetries: 15,
		SRQ: shared,
		Path: cm.Path{
			LocalLID: units.PermissiveLID, RemoteLID: units.PermissiveLID,
			LocalGID: cm.GID(local), RemoteGID: cm.GID(peer.Addr().Unmap()), HopLimit: 64,
			AckTimeout: c.param.AckTimeout,
		},
	}
	c.setService(&c.asked)
	ip := cm.IPHeader{SrcPort: uint16(c.local), Src: local, Dst: peer.Addr().Unmap()}
	ip.Put(c.asked.Private[:])
	copy(c.asked.Private[cm.IPBytes:], p.PrivateData)
	if !p.GoBackN && qp != nil && c.service == RC {
		copy(c.asked.Private[cm.ReqPrivate-len(offer):], offer[:])
	}
	m.ask(c, c.asked.AppendTo(head(c.tid, cm.AttrReq)))
	return c, nil
}

// accept answers a REQ with a REP.
func (m *manager) accept(c *Conn, qp *QP, p ConnParam) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if c.state != connReqReceived {
		return fmt.Errorf("%w: the request is already answered or withdrawn", ErrClosed)
	}
	shared, err := c.setQueuePair(qp, &p, XRCRecv)
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
		Local: c.local, Remote: c.remote, QPN: c.qpn, PSN: c.psn,
		ResponderResources: c.param.ResponderResources,
		InitiatorDepth:     c.param.InitiatorDepth, AckDelay: 14, RNRRetry: 7, SRQ: shared,
		CAGUID: m.dev.guid(),
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

// shorten sends a REQ anew with the path MTU for which the peer has room; false if the peer names
// none that is smaller.
func (m *manager) shorten(c *Conn, r *cm.Rej) bool {
	if mtu := cm.MTUBytes(r.Info[0]); r.InfoBytes == 0 || mtu == 0 || mtu >= cm.MTUBytes(c.asked.MTU) {
		return false
	}
	c.asked.MTU, c.tid = r.Info[0], secret()
	m.ask(c, c.asked.AppendTo(head(c.tid, cm.AttrReq)))
	return true
}

// leave says good bye to all peers, and answers once more those that have said it. It waits until
// all have answered.
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

// disconnect sends a DREQ, unless the peer has sent one.
func (m *manager) disconnect(c *Conn) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if c.left {
		c.flush()
		return
	}
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

// establish answers a REP, or its repetition.
func (m *manager) establish(c *Conn) {
	m.established(c)
	rtu := cm.Pair{Local: c.local, Remote: c.remote}
	m.send(c.peer, rtu.AppendTo(head(c.tid, cm.AttrRtu)))
}

func (m *manager) established(c *Conn) {
	m.settle(c)
	c.state = connEstablished
	closeOnce(c.settled)
}

// part answers a peer that has ended its connection, and remembers the answer.
func (m *manager) part(to netip.AddrPort, message []byte) {
	m.send(to, message)
	if len(m.parted) == maxParted {
		m.parted = slices.Delete(m.parted, 0, 1)
	}
	m.parted = append(m.parted, parting{to, message})
}

// drep answers a DREQ.
func drep(h *cm.Header, p *cm.Pair) []byte {
	answer := cm.Pair{Local: p.Remote, Remote: p.Local}
	return answer.AppendTo(head(h.Transaction, cm.AttrDrep))
}
