package transport

// shapeUnreliable makes the packet of an RC message a packet of UC or UD.
func (r *requester) shapeUnreliable(w *sendWork, p *Packet) {
	if r.service == UC {
		p.Op += ucOffset
		return
	}
	shapeDatagram(w, p)
}

// reportSent completes requests that are sent completely: there will be no acknowledgement.
func (r *requester) reportSent(b *Batch) {
	for r.head != r.cur {
		r.finishLocals(b)
		if r.head != r.cur {
			r.finish(r.work(r.head), Success, b)
			r.head++
		}
	}
}

// receiveUC handles a SEND or WRITE of UC. A missing packet loses its message: the responder waits
// for the next beginning, and the receive of the lost message is used again (IBA vol. 1, 9.8.2.2).
func (s *responder) receiveUC(e *endpoint, p *Packet, info *opInfo, b *Batch) Verdict {
	if p.PSN.Before(s.epsn) {
		b.Refusals.OutOfTurn++
		return Dropped
	}
	if p.PSN != s.epsn || info.first {
		s.msg.class = classNone
	}
	s.epsn = p.PSN.Add(1)
	if needsRecv(info) && !s.hasRecv(e) {
		b.Refusals.NoReceive++
		s.msg.class = classNone
		return Dropped
	}
	if s.msg.assemble(e, p, info, s.roomFor(info)) != 0 {
		b.Refusals.OutOfTurn++
		s.msg.class = classNone
		return Dropped
	}
	v := s.place(p)
	if info.last {
		s.deliver(e, p, info, s.msg.bytes, b)
		s.msg.class = classNone
	}
	return v
}
