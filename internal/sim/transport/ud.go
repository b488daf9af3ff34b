package transport

import (
	"weft/units"
	"weft/wire"
)

// SetQKey sets the Q_Key that datagrams to this queue pair must carry.
func (q *QP) SetQKey(qkey uint32) { q.qkey = qkey }

// shapeDatagram makes p a datagram.
func (q *QP) shapeDatagram(w *sendWork, p *Packet) {
	p.Op = wire.UDSendOnly
	if w.op.hasImm() {
		p.Op = wire.UDSendOnlyImm
	}
	p.DestQP, p.VA, p.DMALen = units.QPN(w.va), 0, 0
}

// receiveUD takes a datagram. One that finds no receive, no room or another
// Q_Key is dropped in silence (IBA vol. 1, 9.8.3.2).
func (q *QP) receiveUD(p *Packet, info *opInfo, b *Batch) Verdict {
	if p.RKey != q.qkey {
		b.Refusals.QKey++
		return Dropped
	}
	if !q.hasRecv() {
		b.Refusals.NoReceive++
		return Dropped
	}
	p.VA, p.Offset = 0, 0
	if q.rhead != q.rtail {
		r := q.recvHead()
		if p.Length > r.length {
			return Dropped
		}
		p.VA = r.id
	}
	q.deliver(p, info, p.Length, b)
	return PlaceRecv
}
