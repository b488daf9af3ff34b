package sim

import (
	"math"
	"math/rand/v2"

	"weft/internal/engine"
	"weft/scenario"
	"weft/units"
)

// jitter is the extra time that messages take through the hosts' software when
// run.jitter is on: a draw for each message at its sender and one at its
// receiver, each side of each rank with a stream of its own. Nil draws nothing.
//
// Only the host jitters. What NICs and switches add has no source yet, and is
// left out.
type jitter struct {
	host    scenario.Jitter
	streams [2][]*rand.Rand // by side and rank
}

// side is an end of a message.
type side int

const (
	sender side = iota
	receiver
)

// streamJitter tells the jitter's random streams from others of the seed; the
// receivers' follow the senders'.
const streamJitter = 3

// longestJitter bounds a draw: a scheduler that keeps a thread waiting for
// longer is a fault and not jitter.
const longestJitter = float64(units.Second)

// jitterOf is the jitter of a fabric's hosts; nil where it is off.
func jitterOf(run *scenario.Run, f *scenario.Fabric, ranks int) *jitter {
	h := f.Host.Jitter
	if !run.Jitter || h.Mean == 0 || h.Distribution != scenario.Exponential && h.Distribution != scenario.Lognormal {
		return nil
	}
	j := &jitter{host: h}
	for s := range j.streams {
		for rank := range ranks {
			pcg := engine.Stream(run.Seed, streamJitter+uint32(s), uint32(rank))
			j.streams[s] = append(j.streams[s], rand.New(&pcg))
		}
	}
	return j
}

// draw is the extra time of a message at one side of a rank. The conversions
// keep a compiler from fusing a product with a sum, which would round
// differently on another processor.
func (j *jitter) draw(s side, rank int) units.Time {
	if j == nil {
		return 0
	}
	r, mean := j.streams[s][rank], float64(j.host.Mean)
	if j.host.Distribution == scenario.Exponential {
		return units.Time(min(longestJitter, mean*r.ExpFloat64()))
	}
	// The mean of a lognormal is exp(mu + sigma²/2).
	sigma := float64(j.host.Sigma.Num) / float64(max(1, j.host.Sigma.Den))
	exponent := float64(sigma*r.NormFloat64()) - float64(sigma*sigma)/2
	return units.Time(min(longestJitter, mean*math.Exp(exponent)))
}

// inOrder is the time of a message, or of a piece, that may not overtake the one
// before it on its connection. latest is the time of that one.
func (j *jitter) inOrder(latest *units.Time, at units.Time) units.Time {
	if j == nil {
		return at
	}
	*latest = max(*latest, at)
	return *latest
}
