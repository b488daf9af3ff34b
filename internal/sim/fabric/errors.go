package fabric

import (
	"math/rand/v2"

	"weft/internal/sim/engine"
)

// streamLinkErrors tells the streams of links' errors from others of the seed.
const streamLinkErrors = 9

// linkErrors is what draws which packets of a link arrive corrupted. It is drawn
// where the packet arrives, in the order of arrival, so that the network's
// division does not matter.
type linkErrors struct {
	random rand.PCG
	spared bool // it is no link of the scale-out fabric; the port, which knows too, is the sender's
}

// errors gives every link of the scale-out fabric a stream, if packets are to be
// corrupted at all.
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

// corrupted draws whether a packet that arrives has an error; one that has is
// dropped at once, and the room that its sender's credits paid for given back.
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
