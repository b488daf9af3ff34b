package fabric

import (
	"math/rand/v2"

	"weft/internal/sim/engine"
	"weft/units"
)

// The streams of links' errors, separate from the seed's other streams.
const (
	streamLinkErrors = 9
	streamLinkBursts = 10
)

// Bursts are the errors of links that forward error correction leaves: it fails for whole blocks,
// so errors come in bursts, at times that do not depend on each other.
type Bursts struct {
	// Gap is the mean distance from one burst to the next and Length the length of each, in bytes of
	// the link.
	Gap    float64
	Length int64
	// Retry makes a link send the packets of a burst again (link-level retry). Otherwise they are
	// dropped.
	Retry bool
}

// linkBursts are the bursts of errors of a link.
type linkBursts struct {
	random *rand.Rand
	gap    float64    // mean, in picoseconds; 0: the link has no errors
	length units.Time // of a burst
	round  units.Time // link-level retry: time from a burst to the repetition; 0: packets are dropped
	at     units.Time // the next burst, or the last one while packets can overlap it
	tail   bool       // packets arrive at the tail
	byte   units.PerByte
}

// linkErrors draws the corrupted packets of a link. It draws at the packet's arrival, in the order
// of arrival, so that the division into partitions does not matter.
type linkErrors struct {
	random rand.PCG
	spared bool // not a link of the scale-out fabric; the sender's port, which knows this too, may be in another partition
}

// errors gives every link of the scale-out fabric a random stream, if packets can be corrupted.
func (b *Builder) errors() {
	n := &b.n
	b.bursts()
	n.errorRate = b.ErrorRate
	if n.errorRate == 0 {
		return
	}
	n.errors, n.examined = make([]linkErrors, len(n.ports)), true
	for link := range n.errors {
		n.errors[link] = linkErrors{engine.Stream(n.seed, streamLinkErrors, uint32(link)), n.ports[link].flags&flagUncounted != 0}
	}
}

// bursts gives every link of the scale-out fabric its bursts of errors.
func (b *Builder) bursts() {
	n := &b.n
	if b.Bursts == nil {
		return
	}
	n.bursts = make([]linkBursts, len(n.ports))
	n.examined = n.examined || !b.Bursts.Retry
	for link := range n.ports {
		o := &n.ports[link]
		if n.inboxes[link].back < 0 || o.flags&flagUncounted != 0 {
			continue
		}
		perByte := units.PerByte{Num: int64(o.num), Den: int64(o.den)}
		ps := float64(o.num) / float64(o.den)
		pcg := engine.Stream(n.seed, streamLinkBursts, uint32(link))
		e := &n.bursts[link]
		*e = linkBursts{
			random: rand.New(&pcg), gap: b.Bursts.Gap * ps, length: units.Time(float64(b.Bursts.Length) * ps),
			tail: o.flags&flagTail != 0, byte: perByte,
		}
		e.at = e.after(0)
		if b.Bursts.Retry {
			e.round = 2*n.propagation[link] + e.length
			o.flags |= flagJitter
		}
	}
}

// after is the time of the first burst after t. Bursts have no memory.
func (e *linkBursts) after(t units.Time) units.Time {
	gap := e.gap * e.random.ExpFloat64()
	return t + units.Time(min(gap, float64(units.Forever-t)/2)) + 1
}

// hits reports whether a burst overlaps the time from one moment to another on the wire. Times that
// are asked for do not decrease, so earlier bursts are forgotten.
func (e *linkBursts) hits(from, to units.Time) bool {
	if e.at+e.length < from {
		e.at = e.after(from - e.length - 1)
	}
	return e.at < to
}

// retries is the time that a link loses by sending a packet again, with all behind it, until no
// burst overlaps it.
func (e *linkBursts) retries(p *Partition, from, to units.Time) (lost units.Time) {
	if e.gap == 0 || e.round == 0 {
		return 0
	}
	for e.hits(from+lost, to+lost) {
		lost += e.round
		p.stats.LinkRetries++
	}
	return lost
}

// damaged reports whether a burst overlaps an arriving packet, which nobody sends again.
func (e *linkBursts) damaged(k *pkt) bool {
	if e.gap == 0 || e.round > 0 {
		return false
	}
	from, to := k.arrive, k.arrive+units.Time(int64(k.size)*e.byte.Num/e.byte.Den)
	if e.tail {
		from, to = k.arrive-(to-from), k.arrive
	}
	return e.hits(from, to)
}

// corrupted draws whether an arriving packet has an error. A packet with an error is dropped at
// once, and its credits are returned.
func (p *Partition) corrupted(link, i int32) bool {
	n := p.net
	k := &p.pool.hot[i]
	damaged := len(n.bursts) > 0 && n.bursts[link].damaged(k)
	if n.errors != nil {
		e := &n.errors[link]
		damaged = damaged || !e.spared && e.random.Uint64() < n.errorRate
	}
	if !damaged {
		return false
	}
	if n.credited && n.creditLinks[link].period > 0 {
		p.hold(link, k)
		p.free(link, k.class, k.size, p.now)
	}
	p.dropFrom(link, i, DropCorrupt)
	return true
}
