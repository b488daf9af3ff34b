package verbs

import (
	"encoding/binary"

	"weft/internal/sim/transport"
	"weft/units"
	"weft/verbs/internal/foreign"
	"weft/verbs/internal/socket"
	"weft/wire"
)

// The device's port calls the methods of this file with its lock held.

// qpOwner is a queue pair as the owner of its endpoint: it hides these methods from the queue
// pair's users.
type qpOwner QP

func (o *qpOwner) qp() *QP { return (*QP)(o) }

// Gather implements socket.Owner.
func (o *qpOwner) Gather(p *transport.Packet, parts [][]byte) ([][]byte, bool) {
	q := o.qp()
	if p.Op.Response() { // of a READ
		b := q.reach(p.RKey, p.VA+uint64(p.Offset), uint64(p.Length), AccessRemoteRead)
		return append(parts, b), b != nil && q.pd.dev.isPresent(b)
	}
	id, ok := q.end.QP.SourceOf(p)
	if !ok {
		return parts, false
	}
	rec := q.sends.record(id)
	if rec.inline != nil {
		return append(parts, rec.inline[p.Offset:p.Offset+p.Length]), true
	}
	return gather(parts, rec.segs, uint64(p.Offset), uint64(p.Length))
}

// Operands implements socket.Owner.
func (o *qpOwner) Operands(p *transport.Packet) (swapAdd, compare uint64) {
	q := o.qp()
	if id, ok := q.end.QP.SourceOf(p); ok {
		rec := q.sends.record(id)
		return rec.swap, rec.comp
	}
	return 0, 0
}

// Destination implements socket.Owner.
func (o *qpOwner) Destination(p *transport.Packet) *socket.Peer {
	q := o.qp()
	if id, ok := q.end.QP.SourceOf(p); ok {
		return q.sends.record(id).ah.peer
	}
	return nil
}

// Place implements socket.Owner.
func (o *qpOwner) Place(v transport.Verdict, p *transport.Packet, payload []byte) {
	o.qp().store(v, p, payload)
}

// Landing implements socket.Owner.
func (o *qpOwner) Landing(id uint64, offset, n uint32) []byte {
	rec := o.qp().sends.record(id)
	return piece(rec.segs, rec.base+uint64(offset), uint64(n))
}

// Replenish implements socket.Owner.
func (o *qpOwner) Replenish() { o.qp().replenish() }

// Completed implements socket.Owner.
func (o *qpOwner) Completed(c *transport.Completion) { o.qp().completed(c) }

// rights are the rights on memory and queue pair that each kind of request needs.
var rights = [...]Access{
	transport.AccessRemoteWrite:  AccessRemoteWrite,
	transport.AccessRemoteRead:   AccessRemoteRead,
	transport.AccessRemoteAtomic: AccessRemoteAtomic,
}

// remote answers the transport whether the peer may access memory.
func (q *QP) remote(_ units.QPN, a transport.Access, rkey uint32, va uint64, length uint32) bool {
	b := q.reach(rkey, va, uint64(length), rights[a])
	ok := b != nil && q.pd.dev.isPresent(b) && (q.attr.XRCD == nil || q.attr.XRCD.serves(rkey))
	if !ok {
		q.pd.dev.raise(AsyncEvent{Type: EventQPAccessErr, QP: q})
	}
	return ok
}

// receivable answers the transport whether the SEND being received can be written to a posted
// receive, and writes it: to ask the memory first would take about as long.
func (q *QP) receivable(_ units.QPN, id uint64, offset, _ uint32) bool {
	rec := q.recvs.record(id)
	return (q.attr.XRCD == nil || rec.srq != nil) &&
		scatter(rec.segs, uint64(offset), q.pd.dev.port.Arrived().Payload)
}

// remoteInvalidate answers the transport whether the peer may invalidate a key, and invalidates it.
func (q *QP) remoteInvalidate(_ units.QPN, rkey uint32) bool {
	ok := q.invalidate(rkey)
	if !ok {
		q.pd.dev.raise(AsyncEvent{Type: EventQPAccessErr, QP: q})
	}
	return ok
}

// reach is the memory that a peer addresses, nil if any part of the address is wrong.
func (q *QP) reach(rkey uint32, va, length uint64, need Access) []byte {
	if q.access&need != need {
		return nil
	}
	if mr := q.pd.dev.region(rkey); mr != nil && q.attr.XRCD != nil {
		return mr.span(mr.pd, va, length, need) // remote has asked whether it is of the right one
	} else if mr != nil {
		return mr.span(q.pd, va, length, need)
	}
	if mw := q.pd.dev.window(rkey); mw != nil {
		return mw.span(q.pd, &q.windows, va, length, need)
	}
	return nil
}

// atomic carries out the peer's atomic, whose operands are in the packet being received. It is
// atomic with all other work of the device.
func (q *QP) atomic(_ units.QPN, op transport.Op, rkey uint32, va uint64) uint64 {
	cell := q.reach(rkey, va, transport.AtomicBytes, AccessRemoteAtomic)
	original := binary.NativeEndian.Uint64(cell)
	operands := &q.pd.dev.port.Arrived().Atomic
	switch {
	case op == transport.OpFetchAdd:
		binary.NativeEndian.PutUint64(cell, original+operands.SwapAdd)
	case original == operands.Compare:
		binary.NativeEndian.PutUint64(cell, operands.SwapAdd)
	}
	return original
}

// store stores arrived payload at its place.
func (q *QP) store(v transport.Verdict, p *transport.Packet, payload []byte) {
	ok := true
	switch v {
	case transport.PlaceWrite:
		// The transport has just checked access to all of the message's memory.
		if !q.pd.dev.store(q.reach(p.RKey, p.VA+uint64(p.Offset), uint64(len(payload)),
			AccessRemoteWrite), payload) {
			q.pd.dev.raise(AsyncEvent{Type: EventQPFatal, QP: q})
			q.fail()
		}
	case transport.PlaceRecv:
		if q.attr.Type == RC || q.attr.Type == XRCRecv {
			return // receivable has written it
		}
		rec, off := q.recvs.record(p.VA), uint64(p.Offset)
		if q.attr.Type == UD {
			off = grhBytes
			ok = scatter(rec.segs, 0, q.grh(len(payload)))
		}
		ok = ok && scatter(rec.segs, off, payload)
	case transport.PlaceRead:
		rec := q.sends.record(p.VA)
		off := rec.base + uint64(p.Offset)
		there := piece(rec.segs, off, uint64(len(payload)))
		ok = len(there) == len(payload) && foreign.Same(there, payload) || scatter(rec.segs, off, payload)
	case transport.PlaceAtomic:
		var value [transport.AtomicBytes]byte
		binary.NativeEndian.PutUint64(value[:], q.pd.dev.port.Arrived().Original)
		ok = scatter(q.sends.record(p.VA).segs, 0, value[:])
	}
	if !ok {
		q.fault = LocProtErr
	}
}

// grh is the header in front of a datagram: for IPv4 the IP header in the last 20 of its 40 bytes
// (IBA vol. 1, A17.4.5), on InfiniBand the GIDs of both.
func (q *QP) grh(payload int) []byte {
	from, local := q.pd.dev.port.From().Addr().Unmap(), q.pd.dev.port.To().Addr().Unmap()
	arrived := q.pd.dev.port.Arrived()
	size := uint16(wire.UDPBytes + arrived.BTH.Opcode.HeaderBytes() + (payload+3)&^3 + wire.ICRCBytes)
	b := make([]byte, 0, grhBytes)
	if from.Is4() && q.pd.dev.subnet() == nil {
		h := wire.IPv4Header{
			Length: wire.IPv4Bytes + size, Flags: wire.DontFragment, TTL: 64, Protocol: wire.ProtocolUDP,
			Src: from.As4(), Dst: local.As4(),
		}
		return h.AppendTo(b[:grhBytes-wire.IPv4Bytes])
	}
	h := wire.IPv6Header{
		Length: size, NextHeader: wire.ProtocolUDP, HopLimit: 64,
		Src: q.pd.dev.GID(from), Dst: q.pd.dev.GID(local),
	}
	return h.AppendTo(b)
}

// replenish takes a receive from the shared queue.
func (q *QP) replenish() {
	from := q.attr.SRQ
	var rec recvRecord
	switch {
	case q.attr.XRCD != nil:
		if from = q.attr.XRCD.namedSRQ(); from == nil {
			_ = q.addRecv(&rec) // nobody's: the message ends the connection there
			return
		}
	case from == nil:
		return
	}
	if from.pop(&rec) {
		// It cannot fail: the queue pair takes receives in every state in which it takes packets.
		_ = q.addRecv(&rec)
	}
}

// completed takes the completion of a work request.
func (q *QP) completed(c *transport.Completion) {
	if c.Recv {
		q.received(c)
		return
	}
	rec := q.sends.record(c.ID)
	if !q.sends.complete(rec) {
		return // another part of the READ has completed the work request already
	}
	wc := WC{
		WRID: rec.wrid, Status: q.finalStatus(statusOf[c.Status]), Opcode: rec.op,
		ByteLen: rec.total, QPN: q.QPN(),
	}
	rec.segs, rec.inline, rec.ah, rec.local = nil, nil, nil, nil
	q.deliver(q.attr.SendCQ, &wc, false)
}

// finalStatus is the status of a completion. A success whose memory was deregistered meanwhile
// becomes an error, and ends the connection.
func (q *QP) finalStatus(s Status) Status {
	if q.fault == Success || s != Success {
		return s
	}
	s, q.fault = q.fault, Success
	q.pd.dev.raise(AsyncEvent{Type: EventQPFatal, QP: q})
	q.fail()
	return s
}

// received completes a receive.
func (q *QP) received(c *transport.Completion) {
	rec := q.recvs.record(c.ID)
	q.recvs.posted--
	wc := WC{
		WRID: rec.wrid, Status: q.finalStatus(statusOf[c.Status]), Opcode: WCRecv, ByteLen: c.Bytes,
		QPN: q.QPN(), SrcQP: c.SrcQP,
	}
	rec.segs = nil
	cq := q.attr.RecvCQ
	if q.attr.XRCD != nil {
		if rec.srq == nil { // of a queue that is not there
			q.fail()
			return
		}
		cq = rec.srq.cq
	}
	if c.Op == transport.OpWriteImm {
		wc.Opcode = WCRecvRDMAWithImm
	}
	if c.HasImm {
		wc.Flags, wc.ImmData = WCWithImm, c.Imm
	}
	if c.HasInv {
		wc.Flags, wc.InvalidatedRKey = WCWithInv, c.Imm
	}
	if q.attr.Type == UD && c.Status == transport.Success {
		q.pd.dev.setSender(&wc)
	}
	q.deliver(cq, &wc, c.Status == transport.Success && q.pd.dev.port.Arrived().BTH.Solicited)
}

// setSender fills in who has sent the datagram that is being received.
func (d *Device) setSender(wc *WC) {
	wc.ByteLen += grhBytes
	wc.SLID = d.LID(d.port.From().Addr())
	if d.subnet() == nil || d.port.To().Addr().IsMulticast() {
		wc.Flags |= WCGRH
	}
}

// deliver adds a completion to its queue. If the queue is full, it is overrun, and the queue pair
// ends. The queue tells it once.
func (q *QP) deliver(c *CQ, wc *WC, solicited bool) {
	before := c.ring.Overrun.Load()
	if c.push(wc, solicited) {
		return
	}
	if before == 0 {
		q.pd.dev.raise(AsyncEvent{Type: EventCQErr, CQ: c})
	}
	if q.end.QP.State() != transport.StateErr {
		q.fail()
	}
}

// remoteSRQ is the queue that a request names.
func (q *QP) remoteSRQ(p *transport.Packet) uint32 {
	if id, ok := q.end.QP.SourceOf(p); ok {
		return q.sends.record(id).srq
	}
	return 0
}
