package fabric

import (
	"weft/internal/sim/transport"
	"weft/internal/sim/transport/tcp"
	"weft/units"
)

// mailbox holds the messages of a simulation partition to the others in one window.
type mailbox struct {
	to       []outbox // by receiving partition
	earliest units.Time
}

// mailboxes are the mailboxes of a window and of the previous one, by their parity.
type mailboxes struct {
	mail   [2]mailbox
	window uint64
}

// outgoing is the mailbox of the current window.
func (m *mailboxes) outgoing() *mailbox { return &m.mail[m.window&1] }

// Sent is the earliest effect of the messages in the window.
func (m *mailboxes) Sent(window uint64) units.Time { return m.mail[window&1].earliest }

type outbox struct {
	packets []remotePacket
	sockets bool   // the packets are TCP's
	seen    []seen // of the packets with telemetry, in their order
	credits []remoteCredit
	pauses  []remotePause
}

type remotePacket struct {
	hot  pkt
	cold transport.Packet
	seg  tcp.Segment
	link int32
}

type remoteCredit struct {
	lane   int32
	blocks int32
	at     units.Time
}

type remotePause struct {
	port  int32
	pause pause
}

// clear drops the messages.
func (b *outbox) clear() {
	b.packets, b.seen, b.credits, b.pauses = b.packets[:0], b.seen[:0], b.credits[:0], b.pauses[:0]
}

func (m *mailbox) reset() {
	m.earliest = units.Forever
	for i := range m.to {
		m.to[i].clear()
	}
}

// sendRemote passes a packet to the partition at the other end of a link.
func (p *Partition) sendRemote(part uint8, link, i int32) {
	m := p.outgoing()
	k := &p.pool.hot[i]
	m.earliest = min(m.earliest, k.arrive)
	b := &m.to[part]
	r := remotePacket{hot: *k, cold: p.pool.cold[i], link: link}
	if p.pool.segs != nil {
		r.seg, b.sockets = *p.pool.segment(i), true
	}
	if k.wants != 0 {
		b.seen = append(b.seen, *p.pool.report(i))
	}
	b.packets = append(b.packets, r)
	p.pool.put(i)
}

// Collect receives the messages of the others to this partition in the window, in the order of the
// partitions. The order does not matter: each link, lane and port has one sender.
func (p *Partition) Collect(window uint64) {
	defer p.recoverFault()
	for _, from := range p.net.parts {
		if from == p {
			continue
		}
		b := &from.mail[window&1].to[p.id]
		next := 0
		for j := range b.packets {
			r := &b.packets[j]
			i := p.pool.get(&p.pool.loose)
			p.pool.hot[i], p.pool.cold[i] = r.hot, r.cold
			if b.sockets {
				*p.pool.segment(i) = r.seg
			}
			if r.hot.wants != 0 {
				*p.pool.report(i) = b.seen[next]
				next++
			}
			p.fly(r.link, i)
		}
		for _, c := range b.credits {
			p.net.collectCredit(p, c)
		}
		for _, r := range b.pauses {
			p.net.schedulePause(p, r.port, r.pause)
		}
		b.clear()
	}
}
