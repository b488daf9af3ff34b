package fabric

import (
	"weft/internal/sim/fabric/counts"
	"weft/internal/sim/fabric/impair"
	"weft/units"
)

// makeErrors gives every link of the scale-out fabric its errors, if packets can be corrupted.
func (b *Builder) makeErrors() {
	n := &b.n
	n.examined = b.ErrorRate > 0 || b.Bursts != nil && !b.Bursts.Retry
	if b.ErrorRate > 0 {
		n.errors = make([]impair.LinkErrors, len(n.ports))
	}
	if b.Bursts != nil {
		n.bursts = make([]impair.LinkBursts, len(n.ports))
	}
	for link := range int32(len(n.ports)) {
		o := &n.ports[link]
		if o.flags&flagUncounted != 0 {
			continue
		}
		if n.errors != nil {
			n.errors[link] = impair.NewLinkErrors(b.ErrorRate, n.seed, link)
		}
		if n.bursts == nil || n.inboxes[link].back < 0 {
			continue
		}
		n.bursts[link] = impair.NewLinkBursts(b.Bursts, n.seed, link, n.LinkPerByte(link), n.propagation[link], o.flags&flagTail != 0)
		if b.Bursts.Retry {
			o.flags |= flagJitter
		}
	}
}

// makeJitter gives the links that lead to switches with jitter theirs.
func (b *Builder) makeJitter() {
	n := &b.n
	for link := range int32(len(n.ports)) {
		if n.inboxes[link].back < 0 {
			continue
		}
		r := &n.nodes[n.inboxes[link].node]
		var draw impair.Jitter
		switch r.kind {
		case kindEthernet:
			draw = n.ethernet[r.state].spec.Jitter
		case kindInfiniBand:
			draw = n.infiniband[r.state].spec.Jitter
		}
		if draw == nil {
			continue
		}
		if n.jitter == nil {
			n.jitter = make([]impair.LinkJitter, len(n.ports))
		}
		n.jitter[link] = impair.NewLinkJitter(draw, n.seed, link)
		n.ports[link].flags |= flagJitter
	}
}

// delayArrival puts off a packet's arrival by link-level retries, for which the wire is busy, and by
// jitter. The sender's simulation partition draws both, when the packet is sent.
func (o *port) delayArrival(p *Partition, link int32, k *pkt, start, end units.Time) {
	if p.net.bursts != nil {
		lost, retries := p.net.bursts[link].Retries(start, end)
		p.stats.LinkRetries += retries
		o.freeAt += lost
		k.arrive += lost
	}
	if p.net.jitter != nil {
		k.arrive = p.net.jitter[link].Arrival(k.arrive)
	}
}

// dropCorrupted draws whether an arriving packet has an error. If it has, it is dropped at once, and its
// credits are returned.
func (p *Partition) dropCorrupted(link, i int32) bool {
	n := p.net
	k := &p.pool.hot[i]
	damaged := len(n.bursts) > 0 && n.bursts[link].Damages(k.arrive, k.size)
	if !damaged && (len(n.errors) == 0 || !n.errors[link].Corrupts()) {
		return false
	}
	if n.credited && n.creditLinks[link].Period > 0 {
		p.net.hold(p, link, k)
		p.net.free(p, link, k.class, k.size, p.now)
	}
	p.dropFrom(link, i, counts.DropCorrupt)
	return true
}
