package fabric

import (
	"math/rand/v2"

	"weft/internal/sim/engine"
	"weft/units"
)

// Jitter draws the extra time of a packet in a switch's pipeline, or of a CNP in a NIC, never
// less than 0.
type Jitter func(*rand.Rand) units.Time

// streamLinkJitter separates the streams of links from the seed's other streams.
const streamLinkJitter = 8

// linkJitter is the jitter of packets that arrive over a link at a switch. The sender's simulation
// partition draws it, when the packet is sent.
type linkJitter struct {
	draw   Jitter
	random *rand.Rand
	last   units.Time // the latest arrival
}

// jitters finds the links that lead to switches with jitter.
func (b *Builder) jitters() {
	n := &b.n
	for link := range n.ports {
		if n.inboxes[link].back < 0 {
			continue
		}
		r := &n.nodes[n.inboxes[link].node]
		var draw Jitter
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
			n.jitter = make([]linkJitter, len(n.ports))
		}
		pcg := engine.Stream(n.seed, streamLinkJitter, uint32(link))
		n.jitter[link] = linkJitter{draw: draw, random: rand.New(&pcg)}
		n.ports[link].flags |= flagJitter
	}
}

// delay puts off a packet's arrival by link-level retries, for which the wire is busy, and by
// jitter.
func (n *Network) delay(p *Partition, o *port, link int32, k *pkt, start, end units.Time) {
	if n.bursts != nil {
		lost := n.bursts[link].retries(p, start, end)
		o.freeAt += lost
		k.arrive += lost
	}
	if len(n.jitter) > 0 && n.jitter[link].draw != nil {
		n.jitter[link].delay(k)
	}
}

// delay adds a random time to a packet's arrival. Packets of a link stay in order, at least a
// picosecond apart.
func (j *linkJitter) delay(k *pkt) {
	k.arrive = max(k.arrive+j.draw(j.random), j.last+1)
	j.last = k.arrive
}
