package verbs

import (
	"net/netip"
	"slices"

	"weft/wire"
	"weft/wire/cm"
)

// Messages to queue pair 1. Anybody can send them, under any name. A message counts only if it
// identifies the connection as only its peer can: by the IDs of both ends, which nobody can
// predict, by the transaction if the specification makes an answer repeat it, and in a DREQ by the
// queue pair. A DREQ begins a transaction of its own: Linux's accepting side numbers it differently
// from the REQ.

// source is the sender of a datagram, from the GRH at its front.
func (d *Device) source(grh []byte) netip.Addr {
	if h := new(wire.IPv4Header); h.Parse(grh[grhBytes-wire.IPv4Bytes:]) == nil &&
		slices.Max(grh[:grhBytes-wire.IPv4Bytes]) == 0 {
		return netip.AddrFrom4(h.Src)
	}
	var h wire.IPv6Header
	_ = h.Parse(grh)
	a, _ := d.AddrOfGID(h.Src) // none: not answerable
	return a
}

// answerable reports whether an address is a single host's: answers to other addresses would reach
// many.
func answerable(a netip.Addr) bool {
	return a.IsGlobalUnicast() || a.IsLoopback() || a.IsLinkLocalUnicast()
}

// receive processes a datagram to queue pair 1. It drops datagrams that are not messages or answer
// no request.
func (m *manager) receive(wc *WC) {
	b := m.buf[wc.WRID*gsiRoom:][:wc.ByteLen]
	var h cm.Header
	body, err := h.Parse(b[grhBytes:])
	peer := netip.AddrPortFrom(m.dev.source(b[:grhBytes]), m.dev.Addr().Port())
	if err != nil || !answerable(peer.Addr()) || !m.process(peer, &h, body) {
		m.dev.rejected.Add(1)
	}
}

// process processes a message; false says that the message was invalid, or that there was no room
// for it.
func (m *manager) process(peer netip.AddrPort, h *cm.Header, body []byte) bool {
	switch h.Attribute {
	case cm.AttrReq:
		return m.receiveReq(peer, h.Transaction, body)
	case cm.AttrMra:
		return m.receiveMra(peer, h.Transaction, body)
	case cm.AttrRep:
		return m.receiveRep(peer, h.Transaction, body)
	case cm.AttrRej:
		return m.receiveRej(peer, h.Transaction, body)
	case cm.AttrRtu, cm.AttrDreq, cm.AttrDrep:
		var p cm.Pair
		_ = p.Parse(body)
		return m.receivePair(peer, h, &p)
	case cm.AttrSidrReq:
		return m.receiveSidrReq(peer, h.Transaction, body)
	case cm.AttrSidrRep:
		return m.receiveSidrRep(peer, h.Transaction, body)
	}
	return false
}

// connOf is the connection with an ID, if its peer matches.
func (m *manager) connOf(peer netip.AddrPort, id cm.ID) *Conn {
	c := m.conns[id]
	if c == nil || c.peer.Addr() != peer.Addr() {
		return nil
	}
	return c
}

// receiveReq processes a REQ, or its repetition.
func (m *manager) receiveReq(peer netip.AddrPort, tid uint64, body []byte) bool {
	var r cm.Req
	_ = r.Parse(body)
	if c := m.asked[asker{peer.Addr(), r.Local}]; c != nil {
		return m.receiveReqAgain(c, tid)
	}
	c := newConn(m, peer, connReqReceived)
	c.remote, c.tid, c.asked, c.private = r.Local, tid, r, r.Private[:]
	service, known := askedService(&r)
	c.service = accepting[service]
	c.theirs = PeerParam{
		QPN: r.QPN, Type: service, ResponderResources: r.ResponderResources,
		InitiatorDepth: r.InitiatorDepth, RetryCount: r.RetryCount, RNRRetry: r.RNRRetry, SRQ: r.SRQ,
	}
	var ip cm.IPHeader
	if _, isIP := cm.Port(r.Service); isIP {
		_ = ip.Parse(r.Private[:]) // without addresses it is for the listener of all
		c.theirs.Port = ip.SrcPort
		c.private, c.offered = cutOffer(r.Private[cm.IPBytes:])
	}
	l := listenerFor(m.listeners, r.Service, ip.Dst)
	switch {
	case l == nil:
		return m.answer(peer, c.rejection(cm.ReasonInvalidSvc, nil))
	case !known || cm.MTUBytes(r.MTU) == 0:
		return m.answer(peer, c.rejection(cm.ReasonInvalidTrans, nil))
	case cm.MTUBytes(r.MTU) > m.dev.mtu:
		return m.answer(peer, c.tooLong())
	}
	c.listener = l
	if !m.half.hasRoom(peer.Addr()) || !l.backlog.hasRoom() {
		m.askToWait(c) // the peer repeats it then
		return false
	}
	if oldest := m.half.oldest(); oldest != nil {
		m.end(oldest, ErrNoAnswer)
	}
	if m.register(c) != nil {
		return false
	}
	l.backlog.append(c)
	c.again = m.now() + int64(requestTime)
	m.waiting[c] = struct{}{}
	m.half.append(c)
	m.asked[asker{peer.Addr(), r.Local}] = c
	return true
}

// receiveReqAgain processes the repetition of a REQ. If the request is not accepted yet, the peer
// is asked to wait.
func (m *manager) receiveReqAgain(c *Conn, tid uint64) bool {
	switch {
	case tid != c.tid:
		return false
	case c.state == connReqReceived:
		c.again = m.now() + int64(requestTime)
		return m.askToWait(c)
	case c.state == connRepSent:
		return m.answer(c.peer, c.message)
	}
	return true
}

// askToWait asks a peer to wait: its request is not accepted yet, or there is no room for it. A
// peer that heard nothing would give up.
func (m *manager) askToWait(c *Conn) (room bool) {
	mra := cm.Mra{Local: c.local, Remote: c.remote, Timeout: patienceCode}
	return m.answer(c.peer, mra.AppendTo(head(c.tid, cm.AttrMra)))
}

// receiveMra processes an MRA: the peer has received the request and needs time.
func (m *manager) receiveMra(peer netip.AddrPort, tid uint64, body []byte) bool {
	var r cm.Mra
	_ = r.Parse(body)
	c := m.connOf(peer, r.Remote)
	if c == nil || c.state != connReqSent || tid != c.tid || r.Of != cm.OfReq {
		return false
	}
	c.tries, c.again = 0, m.now()+int64(min(maxPatience, cm.Timeout(r.Timeout)))
	return true
}

// receiveRep processes a REP, or its repetition.
func (m *manager) receiveRep(peer netip.AddrPort, tid uint64, body []byte) bool {
	var r cm.Rep
	_ = r.Parse(body)
	c := m.connOf(peer, r.Remote)
	again := c != nil && (c.state == connEstablished || c.state == connRepReceived) &&
		r.Local == c.remote
	if c == nil || tid != c.tid || c.state != connReqSent && !again {
		return false
	}
	if c.state == connReqSent {
		c.remote = r.Local
		c.private, c.offered = cutOffer(r.Private[:])
		if c.service == XRCSend {
			r.QPN = r.EEC
		}
		c.theirs = PeerParam{
			QPN: r.QPN, Type: accepting[c.service], ResponderResources: r.ResponderResources,
			InitiatorDepth: r.InitiatorDepth, RNRRetry: r.RNRRetry, SRQ: r.SRQ,
		}
		c.setAttributes(r.PSN, c.asked.PSN, cm.MTUBytes(c.asked.MTU))
		if err := c.connect(); err != nil {
			m.reject(c, cm.ReasonNoResources, nil)
			m.end(c, err)
			return true
		}
		c.asked.QPN = r.QPN // the queue pair that a DREQ names
		if c.qp == nil {
			m.settle(c)
			c.state = connRepReceived
			closeOnce(c.settled)
		}
	}
	if c.state != connRepReceived {
		m.establish(c)
	}
	return true
}

// receiveRej processes the rejection of a REQ, or of a REP.
func (m *manager) receiveRej(peer netip.AddrPort, tid uint64, body []byte) bool {
	var r cm.Rej
	_ = r.Parse(body)
	c := m.connOf(peer, r.Remote)
	if c == nil || tid != c.tid ||
		c.state != connReqSent && (c.state != connRepSent || r.Local != c.remote) {
		return false
	}
	if r.Reason == cm.ReasonInvalidSvc && c.state == connReqSent && m.now() < c.until {
		c.tries, c.again = 0, m.now()
		return true
	}
	if r.Reason == cm.ReasonInvalidMTU && c.state == connReqSent && m.shorten(c, &r) {
		return true
	}
	c.private = r.Private[:]
	m.end(c, rejection(r.Reason))
	return true
}

// receivePair processes RTU, DREQ and DREP.
func (m *manager) receivePair(peer netip.AddrPort, h *cm.Header, p *cm.Pair) bool {
	c := m.connOf(peer, p.Remote)
	if c == nil && h.Attribute == cm.AttrDreq {
		// The connection has ended, and the answer was lost.
		return m.answer(peer, drep(h, p))
	}
	if c == nil || p.Local != c.remote {
		return false
	}
	switch {
	case h.Attribute == cm.AttrRtu && c.state == connRepSent && h.Transaction == c.tid:
		m.established(c)
		m.startRest(c)
	// to a probe
	case h.Attribute == cm.AttrRtu && c.state == connEstablished && c.message != nil &&
		h.Transaction == c.tid:
		m.settle(c)
		m.startRest(c)
	case h.Attribute == cm.AttrDrep && c.state == connDreqSent && h.Transaction == c.tid:
		m.end(c, nil)
	case h.Attribute == cm.AttrDreq && c.state >= connRepSent && p.QPN == c.qpn:
		m.part(peer, drep(h, p))
		c.left = c.state != connDreqSent
		m.end(c, nil)
	default:
		return false
	}
	return true
}
