package socket

import (
	"weft/internal/sim/transport"
	"weft/units"
	"weft/wire"
)

// take processes a datagram, packet by packet.
func (p *Port) take(in *Incoming, now units.Time) {
	p.stats.DatagramsIn++
	if in.Near {
		p.stats.NearIn++
	}
	if in.From != p.verifier.from || in.To != p.verifier.to {
		p.verifier.aim(in.From, in.To, p.local)
	}
	p.near = in.Near
	p.batch.Seen = in.Seen
	if in.Segment <= 0 {
		return
	}
	if in.placed != nil && !p.checkPlaced(in) {
		return
	}
	for index, rest := 0, in.Data; len(rest) > 0; index++ {
		n := min(in.Segment, len(rest))
		if p.loss.strikes() {
			p.stats.Lost++
		} else {
			p.packet(rest[:n], index, in, now)
		}
		rest = rest[n:]
		if p.streams != nil {
			more := p.takeRun(in, index, now)
			index, rest = index+more, rest[more*in.Segment:]
		}
	}
}

// packet processes one packet, from the BTH to the ICRC. It trusts no field before it has checked
// the ICRC, which a packet by a Way does not have.
func (p *Port) packet(b []byte, index int, in *Incoming, now units.Time) {
	p.streams = nil
	p.stats.PacketsIn++
	p.stats.BytesIn += int64(len(b))
	if len(b) < packetBytes {
		p.stats.Malformed++
		return
	}
	id, ok := uint16(index), true
	switch {
	case in.placed != nil:
		id, ok = p.checked[index].id, p.checked[index].ok
	case !in.Near:
		id, ok = p.verifier.verify(b, index)
	}
	switch {
	case !ok:
		p.stats.BadICRC++
		return
	case int(id) != index:
		p.stats.Solved++
	}
	if p.capture != nil {
		if in.Near {
			p.verifier.complete(b, id)
		}
		p.capture.arrived(p.verifier.from, p.To(), id, b)
	}
	h := &p.arrived
	headers := b[:len(b)-wire.ICRCBytes]
	placed := index < len(in.placed) && in.placed[index].memory != nil
	if placed {
		headers = b[:in.placed[index].head]
	}
	if h.Parse(headers) != nil {
		p.stats.Malformed++
		return
	}
	if placed {
		h.Payload = in.placed[index].memory
		p.stats.Placed++
	}
	if p.verifier.to.IsValid() {
		p.spread(in.CE, now)
		return
	}
	e := p.endpoints.at(h.BTH.DestQP)
	if e == nil || !p.accepts(e, h) {
		p.stats.Misdirected++
		return
	}
	if e.Selective && p.ahead(e, h) && !p.hold(e, h.BTH.PSN, b) {
		return
	}
	p.give(e, in.CE, now)
	p.release(e, now)
}

// give passes the arrived packet to its queue pair.
func (p *Port) give(e *Endpoint, ce bool, now units.Time) {
	h, pkt := &p.arrived, &p.taken
	readHeaders(pkt, h)
	if e.RemoteSRQ != nil && pkt.Op != wire.CNP {
		pkt.Op -= wire.XRCOffset
	}
	if e.Selective && pkt.Op == wire.RCAcknowledge && pkt.Syndrome == wire.NAKSequence {
		pkt.Imm = pkt.MSN
	}
	if ce {
		pkt.Flags |= transport.FlagCE
		p.stats.Marked++
	}
	if pkt.Op == wire.CNP {
		p.stats.CNPsIn++
	}
	if p.batch.Seen != nil && !pkt.Op.Response() {
		e.seen = p.batch.Seen
	}
	p.stats.Arrived(&e.QP, pkt)
	if e.QP.WantsRecv(pkt) {
		e.Owner.Replenish()
	}
	v := e.QP.Receive(now, pkt, &p.batch)
	if v > transport.Taken {
		e.Owner.Place(v, pkt, h.Payload)
	}
	if v == transport.PlaceRead && p.placer != nil && !p.near {
		p.foresight.taken(e)
		p.streams = e
	}
	p.settle(e, now)
}

// accepts reports whether a packet belongs to the endpoint: it comes from its peer and is of its
// partition (IBA vol. 1, 10.9.3: the numbers agree, and one of the two is a full member).
func (p *Port) accepts(e *Endpoint, h *wire.Packet) bool {
	const member, number = 0x8000, 0x7fff
	if (h.BTH.PKey^e.PKey)&number != 0 || (h.BTH.PKey|e.PKey)&member == 0 {
		return false
	}
	switch service := h.BTH.Opcode.Service(); {
	case e.QP.Service() == transport.UD:
		return service == wire.ServiceUD
	case h.BTH.Opcode == wire.CNP: // of all connected services
	case service == wire.ServiceRD, (service == wire.ServiceXRC) != (e.RemoteSRQ != nil):
		return false
	}
	return e.Peer != nil && e.Peer.bare == p.verifier.bare
}
