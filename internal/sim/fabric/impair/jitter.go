package impair

import (
	"math/rand/v2"

	"weft/internal/sim/engine"
	"weft/units"
)

// The streams of the package, separate from the seed's other streams.
const (
	streamLinkJitter = 8
	streamLinkErrors = 9
	streamLinkBursts = 10

	// A NIC draws its time to make a CNP from StreamGenerating, and its time to react to one from
	// StreamReacting.
	StreamGenerating = 11
	StreamReacting   = 12
)

// Jitter draws the extra time of a packet in a switch's pipeline, or of a CNP in a NIC, never
// less than 0.
type Jitter func(*rand.Rand) units.Time

// LinkJitter is the jitter of packets that arrive over a link at a switch. The zero value has none.
type LinkJitter struct {
	draw   Jitter
	random *rand.Rand
	last   units.Time // the latest arrival
}

// NewLinkJitter is the jitter of a link.
func NewLinkJitter(draw Jitter, seed uint64, link int32) LinkJitter {
	pcg := engine.Stream(seed, streamLinkJitter, uint32(link))
	return LinkJitter{draw: draw, random: rand.New(&pcg)}
}

// Arrival is the time of an arrival with jitter. Packets of a link stay in order, at least a
// picosecond apart.
func (j *LinkJitter) Arrival(without units.Time) units.Time {
	if j.draw == nil {
		return without
	}
	j.last = max(without+j.draw(j.random), j.last+1)
	return j.last
}

// DelayLine puts events off by times that it draws, in order. The zero value takes no time.
type DelayLine struct {
	draw   Jitter
	random *rand.Rand
	last   units.Time
}

// NewDelayLine is a delay line of a node, with one of the streams.
func NewDelayLine(draw Jitter, seed uint64, stream uint32, node int32) DelayLine {
	pcg := engine.Stream(seed, stream, uint32(node))
	return DelayLine{draw: draw, random: rand.New(&pcg)}
}

// IsInstant reports whether the line takes no time.
func (d *DelayLine) IsInstant() bool { return d.draw == nil }

// Done is the time at which something that begins now is done.
func (d *DelayLine) Done(now units.Time) units.Time {
	d.last = max(now+d.draw(d.random), d.last, now) + 1
	return d.last
}
