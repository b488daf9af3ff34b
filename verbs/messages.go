package verbs

import (
	"fmt"
	"net/netip"
	"slices"

	"weft/wire"
	"weft/wire/cm"
)

// What arrives at queue pair 1. Anybody can send it, in anybody's name: a message is
// believed if it names the connection as only its peer can. That is the IDs of both
// ends, which nobody can foretell, the transaction, where the specification has an
// answer repeat it, and in a DREQ the queue pair. A DREQ begins a transaction of its
// own: Linux's accepting side numbers it otherwise than the REQ.

// source is where a datagram came from: the GRH in front of it says.
func source(grh []byte) netip.Addr {
	if h := new(wire.IPv4Header); h.Parse(grh[grhBytes-wire.IPv4Bytes:]) == nil && slices.Max(grh[:grhBytes-wire.IPv4Bytes]) == 0 {
		return netip.AddrFrom4(h.Src)
	}
	var h wire.IPv6Header
	_ = h.Parse(grh)
	return netip.AddrFrom16(h.Src)
}

// answerable reports whether an address is one host's: answers to others would go to
// many.
func answerable(a netip.Addr) bool {
	return a.IsGlobalUnicast() || a.IsLoopback() || a.IsLinkLocalUnicast()
}

// take deals with a datagram to queue pair 1. What is no message, or answers
// nothing that was asked, is dropped.
func (m *manager) take(wc *WC) {
	b := m.buf[wc.WRID*gsiRoom:][:wc.ByteLen]
	var h cm.Header
	body, err := h.Parse(b[grhBytes:])
	peer := netip.AddrPortFrom(source(b[:grhBytes]), m.dev.Addr().Port())
	m.mu.Lock()
	defer m.mu.Unlock()
	if err != nil || !answerable(peer.Addr()) || !m.heed(peer, &h, body) {
		m.dev.unheeded.Add(1)
	}
}

// heed does what a message asks for; false says that it was not believed, or that
// there was no room for it.
func (m *manager) heed(peer netip.AddrPort, h *cm.Header, body []byte) bool {
	switch h.Attribute {
	case cm.AttrReq:
		return m.takeReq(peer, h.Transaction, body)
	case cm.AttrMra:
		return m.takeMra(peer, h.Transaction, body)
	case cm.AttrRep:
		return m.takeRep(peer, h.Transaction, body)
	case cm.AttrRej:
		return m.takeRej(peer, h.Transaction, body)
	case cm.AttrRtu, cm.AttrDreq, cm.AttrDrep:
		var p cm.Pair
		_ = p.Parse(body)
		return m.takePair(peer, h, &p)
	case cm.AttrSidrReq:
		return m.takeSidrReq(peer, h.Transaction, body)
	case cm.AttrSidrRep:
		return m.takeSidrRep(peer, h.Transaction, body)
	}
	return false
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
func (m *manager) takeReq(peer netip.AddrPort, tid uint64, body []byte) bool {
	var r cm.Req
	_ = r.Parse(body)
	if c := m.asked[asker{peer.Addr(), r.Local}]; c != nil {
		return m.takeReqAgain(c, tid)
	}
	c := newConn(m, nil, peer, connReqReceived)
	c.remote, c.tid, c.asked, c.private = r.Local, tid, r, r.Private[:]
	if _, isIP := cm.Port(r.Service); isIP {
		c.private, c.offered = offers(r.Private[cm.IPBytes:])
	}
	l := m.listeners[r.Service]
	switch {
	case l == nil:
		m.answer(peer, c.rejection(cm.ReasonInvalidSvc, nil))
		return true
	case r.Service2 != 0 || cm.MTUBytes(r.MTU) == 0:
		m.answer(peer, c.rejection(cm.ReasonInvalidTrans, nil))
		return true
	}
	c.at = l
	if m.half.Len() == maxHalfOpen {
		if oldest, ok := m.half.Front().Value.(*Conn); ok {
			m.end(oldest, ErrNoAnswer)
		}
	}
	if !l.backlog.room() || m.add(c) != nil {
		return false // it comes again
	}
	l.backlog.add(c)
	c.again = m.now() + int64(requestTime)
	m.waiting[c], c.half = struct{}{}, m.half.PushBack(c)
	m.asked[asker{peer.Addr(), r.Local}] = c
	return true
}

// takeReqAgain takes the repetition of a request. A peer that nobody has accepted yet
// is told to wait.
func (m *manager) takeReqAgain(c *Conn, tid uint64) bool {
	switch {
	case tid != c.tid:
		return false
	case c.state == connReqReceived:
		c.again = m.now() + int64(requestTime)
		mra := cm.Mra{Local: c.local, Remote: c.remote, Timeout: patienceCode}
		m.answer(c.peer, mra.AppendTo(head(c.tid, cm.AttrMra)))
	case c.state == connRepSent:
		m.answer(c.peer, c.message)
	}
	return true
}

// takeMra takes a peer's word that the request has come and takes time.
func (m *manager) takeMra(peer netip.AddrPort, tid uint64, body []byte) bool {
	var r cm.Mra
	_ = r.Parse(body)
	c := m.mine(peer, r.Remote)
	if c == nil || c.state != connReqSent || tid != c.tid || r.Of != cm.OfReq {
		return false
	}
	c.tries, c.again = 0, m.now()+int64(min(maxPatience, cm.Timeout(r.Timeout)))
	return true
}

// takeRep takes the acceptance of what was asked for, or its repetition.
func (m *manager) takeRep(peer netip.AddrPort, tid uint64, body []byte) bool {
	var r cm.Rep
	_ = r.Parse(body)
	c := m.mine(peer, r.Remote)
	if c == nil || tid != c.tid || c.state != connReqSent && (c.state != connEstablished || r.Local != c.remote) {
		return false
	}
	if c.state == connReqSent {
		c.remote = r.Local
		c.private, c.offered = offers(r.Private[:])
		if err := c.connect(r.QPN, r.PSN, c.asked.PSN, m.dev.mtu, r.InitiatorDepth, r.ResponderResources); err != nil {
			m.reject(c, cm.ReasonNoResources, nil)
			m.end(c, err)
			return true
		}
		c.asked.QPN = r.QPN // whom a DREQ names
		m.established(c)
	}
	rtu := cm.Pair{Local: c.local, Remote: c.remote}
	m.send(peer, rtu.AppendTo(head(tid, cm.AttrRtu)))
	return true
}

func (m *manager) established(c *Conn) {
	m.settle(c)
	c.state = connEstablished
	closeOnce(c.settled)
}

// takeRej takes the rejection of a REQ, or of a REP.
func (m *manager) takeRej(peer netip.AddrPort, tid uint64, body []byte) bool {
	var r cm.Rej
	_ = r.Parse(body)
	c := m.mine(peer, r.Remote)
	if c == nil || tid != c.tid || c.state != connReqSent && (c.state != connRepSent || r.Local != c.remote) {
		return false
	}
	c.private = r.Private[:]
	m.end(c, rejection(r.Reason))
	return true
}

// rejection is the error of a REJ.
func rejection(why cm.Reason) error {
	if why == cm.ReasonInvalidSvc {
		return fmt.Errorf("%w: %w", ErrRejected, ErrNoListener)
	}
	return fmt.Errorf("%w (reason %d)", ErrRejected, why)
}

// takePair takes RTU, DREQ and DREP.
func (m *manager) takePair(peer netip.AddrPort, h *cm.Header, p *cm.Pair) bool {
	c := m.mine(peer, p.Remote)
	if c == nil && h.Attribute == cm.AttrDreq {
		// Of a connection that is no more, the answer was lost.
		m.answer(peer, drep(h, p))
		return true
	}
	if c == nil || p.Local != c.remote {
		return false
	}
	switch {
	case h.Attribute == cm.AttrRtu && c.state == connRepSent && h.Transaction == c.tid:
		m.established(c)
	case h.Attribute == cm.AttrDrep && c.state == connDreqSent && h.Transaction == c.tid:
		m.end(c, nil)
	case h.Attribute == cm.AttrDreq && c.state >= connRepSent && p.QPN == c.qp.QPN():
		m.send(peer, drep(h, p))
		m.end(c, nil)
	default:
		return false
	}
	return true
}

// drep answers a DREQ.
func drep(h *cm.Header, p *cm.Pair) []byte {
	answer := cm.Pair{Local: p.Remote, Remote: p.Local}
	return answer.AppendTo(head(h.Transaction, cm.AttrDrep))
}
