package impair

import (
	"math/rand/v2"

	"weft/internal/sim/engine"
	"weft/units"
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

// LinkBursts are the bursts of errors of a link.
type LinkBursts struct {
	random *rand.Rand
	gap    float64    // mean, in picoseconds; 0: the link has no errors
	length units.Time // of a burst
	round  units.Time // link-level retry: time from a burst to the repetition; 0: packets are dropped
	at     units.Time // the next burst, or the last one while packets can overlap it
	tail   bool       // packets arrive at the tail
	byte   units.PerByte
}

// NewLinkBursts are the bursts of a link with a rate and a propagation. tail says that packets arrive
// at the tail.
func NewLinkBursts(b *Bursts, seed uint64, link int32, rate units.PerByte, propagation units.Time, tail bool) LinkBursts {
	ps := float64(rate.Num) / float64(rate.Den)
	pcg := engine.Stream(seed, streamLinkBursts, uint32(link))
	e := LinkBursts{
		random: rand.New(&pcg), gap: b.Gap * ps, length: units.Time(float64(b.Length) * ps), tail: tail, byte: rate,
	}
	e.at = e.after(0)
	if b.Retry {
		e.round = 2*propagation + e.length
	}
	return e
}

// after is the time of the first burst after t. Bursts have no memory.
func (e *LinkBursts) after(t units.Time) units.Time {
	gap := e.gap * e.random.ExpFloat64()
	return t + units.Time(min(gap, float64(units.Forever-t)/2)) + 1
}

// hits reports whether a burst overlaps the time from one moment to another on the wire. Times that
// are asked for do not decrease, so earlier bursts are forgotten.
func (e *LinkBursts) hits(from, to units.Time) bool {
	if e.at+e.length < from {
		e.at = e.after(from - e.length - 1)
	}
	return e.at < to
}

// Retries are the repetitions of a packet on a link, with all behind it, until no burst overlaps it,
// and the time that they take.
func (e *LinkBursts) Retries(from, to units.Time) (lost units.Time, retries int64) {
	if e.gap == 0 || e.round == 0 {
		return 0, 0
	}
	for e.hits(from+lost, to+lost) {
		lost += e.round
		retries++
	}
	return lost, retries
}

// Damages reports whether a burst overlaps an arriving packet of a size, which nobody sends again.
func (e *LinkBursts) Damages(arrive units.Time, size uint16) bool {
	if e.gap == 0 || e.round > 0 {
		return false
	}
	from, to := arrive, arrive+units.Time(int64(size)*e.byte.Num/e.byte.Den)
	if e.tail {
		from, to = arrive-(to-from), arrive
	}
	return e.hits(from, to)
}
