package transport

import "weft/wire"

// Adapters that deliver out of order cut a WRITE into packets that are messages of their own, RDMA
// WRITE Only, each with its own RETH: a responder can then place each packet by itself, and the
// network may route each differently. ConnectX-5 and later send this way under adaptive routing (a
// design note of NCCL; a responder counted 1,025 WRITE requests for each WRITE of 1,024 packets
// with immediate data).
//
// Only WRITEs and the responses of READs may come in any order. A SEND, or a WRITE with immediate
// data, tells its receiver that all earlier data has arrived: the requester holds it, and all work
// posted behind it, until the WRITEs before it are acknowledged.
//
// All other requests keep their order in the network (FlagOrdered; free_ar of BTH is for WRITEs and
// READ responses), so they do not spread over paths. That is why NCCL posts the data of all but short
// messages as a WRITE before the immediate data. A WRITE with immediate data that is not Ordered is
// divided like any other: it stands for a WRITE whose end its receiver sees, or is sent by adapters
// that restore the order of all messages at the receiver (ConnectX-8, MLX5DV_QP_CREATE_OOO_DP). Left
// out: the MSN counts messages as they were posted.

// writeOnly is the opcode of a packet of a WRITE that is a message by itself.
func writeOnly(op Op, last bool) wire.Opcode {
	if last && op == OpWriteImm {
		return wire.RCWriteOnlyImm
	}
	return wire.RCWriteOnly
}

// divides reports whether the packets of a work request are messages of their own.
func (r *requester) divides(w *sendWork) bool {
	return r.cfg.Delivery == WriteOnly && r.service == RC && (w.op == OpWrite || w.op == OpWriteImm && w.flags&workOrdered == 0)
}

// ends reports whether a request is the last packet of a posted message.
func (s *responder) ends(e *endpoint, p *Packet, info *opInfo) bool {
	return info.last && (info.class != classWrite || e.cfg.Delivery != WriteOnly || p.Offset+p.Length == p.DMALen)
}

// fenced reports whether the next request waits for the WRITEs before it. A fenced request has then
// waited for all work before it, too.
func (r *requester) fenced() bool {
	w := r.work(r.cur)
	if r.cfg.Fence == FenceNone || r.una == r.nxt || r.nxt != w.first || w.op == OpWrite || w.op.asks() || w.op.local() {
		return false
	}
	if w.passed > 0 {
		return r.una.Before(w.first.Add(-int32(w.passed)))
	}
	for i := r.cur; i != r.head; i-- {
		switch before := r.work(i - 1); {
		case before.op == OpWrite:
			return true
		case !before.op.asks() && !before.op.local():
			return false
		}
	}
	return false
}

// overtake puts the next WRITE before the fenced immediate data that it is posted behind, if the fence
// is FenceMessage. Immediate data that was passed waits only for the WRITEs that were posted before it.
func (r *requester) overtake() {
	if r.cfg.Fence != FenceMessage || r.cfg.Delivery != WriteOnly || r.service != RC || r.cur == r.tail || r.nxt != r.max || !r.fenced() {
		return
	}
	i := r.cur
	for i != r.tail && r.work(i).op == OpWriteImm && r.work(i).packets == 1 {
		i++
	}
	if i == r.tail || r.work(i).op != OpWrite {
		return
	}
	first := *r.work(i)
	for j := r.cur; j != i; j++ {
		if uint32(r.work(j).passed)+first.packets > 1<<16-1 {
			return
		}
	}
	for ; i != r.cur; i-- {
		w := r.work(i)
		*w = *r.work(i - 1)
		w.first = w.first.Add(int32(first.packets))
		w.passed += uint16(first.packets)
	}
	first.first = r.nxt
	*r.work(r.cur) = first
}
