package fabric

import (
	"math/rand/v2"

	"weft/internal/sim/engine"
)

// streamLinkErrors separates the streams of links' errors from the seed's other streams.
const streamLinkErrors = 9

// linkErrors draws the corrupted packets of a link. It draws at the packet's arrival, in the order
// of arrival, so that the division into partitions does not matter.
type linkErrors struct {
	random rand.PCG
	spared bool // not a link of the scale-out fabric; the sender's port, which knows this too, may be in another partition
}

// errors gives every link of the scale-out fabric a random stream, if packets can be corrupted.
func (b *Builder) errors() {
	n := &b.n
	n.errorRate = b.ErrorRate
	if n.errorRate == 0 {
		return
	}
	n.errors, n.examined = make([]linkErrors, len(n.ports)), true
	for link := range n.errors {
		n.errors[link] = linkErrors{engine.Stream(n.seed, streamLinkErrors, uint32(link)), n.ports[link].flags&flagUncounted != 0}
	}
}

// corrupted draws whether an arriving packet has an error. A packet with an error is dropped at
// once, and its credits are returned.
func (p *Partition) corrupted(link, i int32) bool {
	n := p.net
	if e := &n.errors[link]; e.spared || e.random.Uint64() >= n.errorRate {
		return false
	}
	if n.credited && n.creditLinks[link].period > 0 {
		k := &p.pool.hot[i]
		p.hold(link, k)
		p.free(link, k.class, k.size, p.now)
	}
	p.drop(i, DropCorrupt)
	return true
}
