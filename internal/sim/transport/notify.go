package transport

import (
	"weft/units"
	"weft/wire"
)

// congested is what the marks on a packet do. The reaction point tells congestion control
// of a notification; the notification point answers a mark (RoCE v2: IBA vol. 1, A17.9;
// InfiniBand: BECN, annex A10).
func (q *QP) congested(now units.Time, p *Packet, info *opInfo, b *Batch) {
	if p.Flags&FlagCNP != 0 && q.controlled && q.state >= StateRTS {
		q.notified(now)
	}
	if p.Flags&FlagCE != 0 {
		q.marked(now, info, b)
	}
}

// notified is what a notification does to the requester.
func (q *QP) notified(now units.Time) {
	q.alg.Notified(now, &q.allow)
	q.wake = min(q.wake, q.allow.Wake)
}

// marked answers a mark with a CNP, or with the next acknowledgement. Nobody answers a
// datagram.
func (q *QP) marked(now units.Time, info *opInfo, b *Batch) {
	if info.class == classAck || info.class == classCNP || q.service == UD {
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
