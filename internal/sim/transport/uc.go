package transport

// shapeUnreliable makes the packet of an RC message one of UC or UD.
func (q *QP) shapeUnreliable(w *sendWork, p *Packet) {
	if q.service == UC {
		p.Op += ucOffset
		return
	}
	q.shapeDatagram(w, p)
}

// reportSent completes what has gone out whole: nobody will acknowledge it.
func (q *QP) reportSent(b *Batch) {
	for q.head != q.cur {
		q.finishLocals(b)
		if q.head != q.cur {
			q.finish(q.work(q.head), Success, b)
			q.head++
		}
	}
}

// receiveUC takes a SEND or WRITE of UC. A missing packet loses its message:
// the responder waits for the next that begins, and a receive that the lost
// message had taken serves again (IBA vol. 1, 9.8.2.2).
func (q *QP) receiveUC(p *Packet, info *opInfo, b *Batch) Verdict {
	if p.PSN.Before(q.epsn) {
		b.Refusals.OutOfTurn++
		return Dropped
	}
	if p.PSN != q.epsn || info.first {
		q.msgClass = classNone
	}
	q.epsn = p.PSN.Add(1)
	if needsRecv(info) && !q.hasRecv() {
		b.Refusals.NoReceive++
		q.msgClass = classNone
		return Dropped
	}
	if q.assemble(p, info) != 0 {
		b.Refusals.OutOfTurn++
		q.msgClass = classNone
		return Dropped
	}
	v := q.place(p)
	if info.last {
		q.deliver(p, info, q.msgBytes, b)
		q.msgClass = classNone
	}
	return v
}
