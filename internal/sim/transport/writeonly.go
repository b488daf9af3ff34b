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
// A WRITE with immediate data is divided like any other. Adapters keep it in order instead, which
// is why NCCL posts the data of all but short messages as a WRITE before it. Left out: a way of
// their own for the packets that must keep their order; the MSN counts messages as they were
// posted.

// writeOnly is the opcode of a packet of a WRITE that is a message by itself.
func writeOnly(op Op, last bool) wire.Opcode {
	if last && op == OpWriteImm {
		return wire.RCWriteOnlyImm
	}
	return wire.RCWriteOnly
}

// divides reports whether the packets of a work request are messages of their own.
func (r *requester) divides(w *sendWork) bool {
	return r.cfg.Delivery == WriteOnly && r.service == RC && (w.op == OpWrite || w.op == OpWriteImm)
}

// ends reports whether a request is the last packet of a posted message.
func (s *responder) ends(e *endpoint, p *Packet, info *opInfo) bool {
	return info.last && (info.class != classWrite || e.cfg.Delivery != WriteOnly || p.Offset+p.Length == p.DMALen)
}

// fenced reports whether the next request waits for the WRITEs before it. A fenced request has then
// waited for all work before it, too.
func (r *requester) fenced() bool {
	w := r.work(r.cur)
	if r.una == r.nxt || r.nxt != w.first || w.op == OpWrite || w.op.asks() || w.op.local() {
		return false
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
