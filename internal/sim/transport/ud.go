package transport

import (
	"weft/units"
	"weft/wire"
)

// shapeDatagram makes p a datagram.
func shapeDatagram(w *sendWork, p *Packet) {
	p.Op = wire.UDSendOnly
	if w.op.hasImm() {
		p.Op = wire.UDSendOnlyImm
	}
	p.DestQP, p.VA, p.DMALen = units.QPN(w.va), 0, 0
}

// receiveUD handles a datagram. A datagram without a receive, without room or with another Q_Key is
// dropped without an answer (IBA vol. 1, 9.8.3.2).
func (s *responder) receiveUD(e *endpoint, p *Packet, info *opInfo, b *Batch) Verdict {
	if p.RKey != s.qkey {
		b.Refusals.QKey++
		return Dropped
	}
	if !s.hasRecv(e) {
		b.Refusals.NoReceive++
		return Dropped
	}
	p.VA, p.Offset = 0, 0
	if !s.empty() {
		r := s.oldest()
		if p.Length > r.length {
			return Dropped
		}
		p.VA = r.id
	}
	s.deliver(e, p, info, p.Length, b)
	return PlaceRecv
}
