package transport

import (
	"weft/units"
	"weft/wire"
)

// An error of one message ends a connection, but not an end-to-end context, which carries the
// messages of many queue pairs. The requester abandons the message and sends a RESYNC, with a PSN
// behind all used ones: so packets of the message that are still in flight are not taken for a part
// of the next. The responder, which has refused the message or is in the middle of it, expects the
// packet behind the RESYNC (IBA vol. 1, chapter 9, on the RESYNC of reliable datagrams).

// breakOff ends the work behind the failed message at the head.
func (r *requester) breakOff(b *Batch) {
	if r.cfg.Delivery != EndToEnd {
		r.breakConnection(b)
		return
	}
	r.flush(b)
	r.forgetTries()
	r.holdUntil = 0
	_ = r.enqueue(sendWork{op: opResync, packets: 1}) // the queue is empty and has room
}

// awaitResync abandons the message that the responder has refused. Its further packets are dropped
// without an answer, except the refused packet itself.
func (s *responder) awaitResync(e *endpoint) {
	s.msg.class = classNone
	s.nakAt = units.Forever
	s.clear(e)
}

// receiveResync takes the PSN at which the requester continues.
func (s *responder) receiveResync(e *endpoint, p *Packet, b *Batch) Verdict {
	if !p.PSN.Before(s.epsn) {
		s.awaitResync(e)
		s.nakAt = 0
		s.epsn = p.PSN.Add(1)
		s.msn = (s.msn + 1) & units.PSNMask
	}
	s.answer(e, b.packet(), s.epsn.Add(-1), wire.ACKNoLimit)
	return Taken
}
