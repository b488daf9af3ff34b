package transport

import (
	"weft/units"
	"weft/wire"
)

// congested handles the marks on a packet. The reaction point reports a notification to
// congestion control. The notification point answers a mark (RoCE v2: IBA vol. 1, A17.9;
// InfiniBand: BECN, annex A10).
func (q *QP) congested(now units.Time, p *Packet, info *opInfo, b *Batch) {
	if p.Flags&FlagCNP != 0 && q.req.controlled && q.req.state >= StateRTS {
		q.req.notified(&q.req.endpoint, now)
	}
	if p.Flags&FlagCE != 0 {
		q.resp.marked(&q.req.endpoint, now, info, b)
	}
}

// marked answers a mark with a CNP, or with the next acknowledgement. Datagrams are not answered.
func (a *acks) marked(e *endpoint, now units.Time, info *opInfo, b *Batch) {
	if info.class == classAck || info.class == classCNP || e.service == UD {
		return
	}
	if e.cfg.Marks != MarksNotified && e.service == RC && info.class != classReadResponse {
		a.echo = true
		return
	}
	if now < a.cnpAt {
		return
	}
	a.cnpAt = now + e.cfg.CNPInterval
	b.Packets = append(b.Packets, Packet{Op: wire.CNP, Flags: FlagCNP, DestQP: e.remote, SrcQP: e.qpn})
}
