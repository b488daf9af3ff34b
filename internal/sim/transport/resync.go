package transport

import (
	"weft/units"
	"weft/wire"
)

// An error of one message ends a connection, but not an end-to-end context, which
// carries those of many queue pairs. The requester gives the message up and sends a
// RESYNC, with a PSN behind all that it has used: so nothing of the message that is
// still on its way is taken for a part of the next. The responder, which has refused
// or is in the middle of the message, expects what follows the RESYNC (IBA vol. 1,
// chapter 9, on the RESYNC of reliable datagrams).

// breakOff is what an error of the message at the head, which has completed, does.
func (q *QP) breakOff(b *Batch) {
	if q.cfg.Delivery != EndToEnd {
		q.breakConnection(b)
		return
	}
	q.flushSends(b)
	q.retries, q.waits, q.rnrRetries, q.recovering, q.holdUntil = 0, 0, 0, false, 0
	if q.growSends() != nil {
		return // the queue is empty: this cannot be
	}
	*q.work(q.tail) = sendWork{op: opResync, packets: 1, first: q.end}
	q.tail++
	q.end = q.end.Add(1)
}

// awaitResync is what a responder does that has refused a message: whatever follows
// of it is dropped in silence, but for the refused packet itself.
func (q *QP) awaitResync() {
	q.msgClass = classNone
	q.nakked, q.nakAt = true, units.Forever
	q.setReads(q.reads[:0])
	q.owed = 0
}

// receiveResync takes the PSN that the requester goes on with.
func (q *QP) receiveResync(p *Packet, b *Batch) Verdict {
	if !p.PSN.Before(q.epsn) {
		q.awaitResync()
		q.nakked = false
		q.epsn = p.PSN.Add(1)
		q.msn = (q.msn + 1) & units.PSNMask
	}
	q.answer(b.packet(), q.epsn.Add(-1), wire.ACKNoLimit)
	return Taken
}
