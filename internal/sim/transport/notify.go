package transport

import (
	"weft/units"
	"weft/wire"
)

// congested is what the marks on a packet do. As the reaction point it tells
// congestion control of a notification; as the notification point it answers
// a mark with a CNP, or with the next acknowledgement (RoCE v2: IBA vol. 1,
// A17.9; InfiniBand: BECN, annex A10). Nobody answers a datagram.
func (q *QP) congested(now units.Time, p *Packet, info *opInfo, b *Batch) {
	if p.Flags&FlagCNP != 0 && q.alg != nil && q.state >= StateRTS {
		q.alg.Notified(now, &q.allow)
		q.wake = min(q.wake, q.allow.Wake)
	}
	if p.Flags&FlagCE == 0 || info.class == classAck || info.class == classCNP || q.service == UD {
		return
	}
	if q.cfg.Marks != MarksNotified && q.service == RC && info.class != classReadResponse {
		q.echo = true
		return
	}
	if now < q.cnpAt {
		return
	}
	q.cnpAt = now + q.cfg.CNPInterval
	b.Packets = append(b.Packets, Packet{Op: wire.CNP, Flags: FlagCNP, DestQP: q.remote, SrcQP: q.qpn})
}
