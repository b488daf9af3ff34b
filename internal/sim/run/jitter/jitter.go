package jitter

import (
	"math"
	"math/rand/v2"

	"weft/internal/sim/engine"

	"weft/internal/sim/fabric/impair"
	"weft/internal/sim/protocol"
	"weft/scenario"
	"weft/units"
)

// Jitter is the extra time of messages in the hosts' software and the NICs' pipelines with
// run.jitter: for each message a draw at its sender and one at its receiver. A nil Jitter draws
// nothing. The fabric draws the jitter of switches, packet by packet.
type Jitter struct {
	parts []jitterPart
}

// jitterPart is a cause of jitter. Each side of each rank, or of each NIC's host in patterns, has
// its own stream.
type jitterPart struct {
	scenario.Jitter
	streams [2][]*rand.Rand // by side and rank
}

// Side is an end of a message.
type Side int

// The ends.
const (
	Sender Side = iota
	Receiver
)

// The streams of jitter, separate from the seed's other streams. The receivers' streams follow the
// senders'.
const (
	streamHostJitter = 3
	streamNICJitter  = 5
	streamTicks      = 7
)

// longestJitter bounds a draw: a scheduler that delays a thread for longer is a fault and not
// jitter.
const longestJitter = float64(units.Second)

// Of is the jitter at the ends of a fabric's messages; nil if it is off.
func Of(run *scenario.Run, f *scenario.Fabric, ranks int) *Jitter {
	if !run.Jitter {
		return nil
	}
	j := new(Jitter)
	for _, c := range []struct {
		scenario.Jitter
		stream uint32
	}{{f.Host.Jitter, streamHostJitter}, {f.NIC.Jitter, streamNICJitter}} {
		if !draws(&c.Jitter) {
			continue
		}
		part := jitterPart{Jitter: c.Jitter}
		for s := range part.streams {
			for rank := range ranks {
				pcg := engine.Stream(run.Seed, c.stream+uint32(s), uint32(rank))
				part.streams[s] = append(part.streams[s], rand.New(&pcg))
			}
		}
		j.parts = append(j.parts, part)
	}
	if len(j.parts) == 0 {
		return nil
	}
	return j
}

// draws reports whether a jitter can be positive.
func draws(j *scenario.Jitter) bool {
	return j.Mean > 0 && (j.Distribution == scenario.Exponential || j.Distribution == scenario.Lognormal)
}

// Draw is the extra time of a message at one side of a rank.
func (j *Jitter) Draw(s Side, rank int) (sum units.Time) {
	if j == nil {
		return 0
	}
	for i := range j.parts {
		sum += drawn(&j.parts[i].Jitter, j.parts[i].streams[s][rank])
	}
	return sum
}

// drawn is one draw. The conversions keep a compiler from fusing a product with a
// sum, which would round differently on another processor.
func drawn(j *scenario.Jitter, r *rand.Rand) units.Time {
	mean := float64(j.Mean)
	if j.Distribution == scenario.Exponential {
		return units.Time(min(longestJitter, mean*r.ExpFloat64()))
	}
	// The mean of a lognormal is exp(mu + sigma²/2).
	sigma := float64(j.Sigma.Num) / float64(max(1, j.Sigma.Den))
	exponent := float64(sigma*r.NormFloat64()) - float64(sigma*sigma)/2
	return units.Time(min(longestJitter, mean*math.Exp(exponent)))
}

// InOrder is the time of a message, or of a piece, that may not overtake its predecessor on its
// connection. latest is the predecessor's time.
func (j *Jitter) InOrder(latest *units.Time, at units.Time) units.Time {
	if j == nil {
		return at
	}
	*latest = max(*latest, at)
	return *latest
}

// OfSwitch is the jitter of a fabric's switches; nil if it is off.
func OfSwitch(run *scenario.Run, f *scenario.Fabric) impair.Jitter {
	j := &f.Switch.Jitter
	if !run.Jitter || !draws(j) {
		return nil
	}
	return func(r *rand.Rand) units.Time { return drawn(j, r) }
}

// OfCNP is the time that a NIC takes with a CNP: a fixed one and its jitter; nil if it takes none.
func OfCNP(run *scenario.Run, f *scenario.Fabric, fixed units.Time) impair.Jitter {
	j := &f.NIC.CNPJitter
	switch {
	case run.Jitter && draws(j):
		return func(r *rand.Rand) units.Time { return fixed + drawn(j, r) }
	case fixed > 0:
		return func(*rand.Rand) units.Time { return fixed }
	}
	return nil
}

// TimerTick is the granularity of the hosts' timers: 0 is exact.
func TimerTick(run *scenario.Run, f *scenario.Fabric) units.Time {
	if !run.Jitter || protocol.Of(f.Kind).RDMA() {
		return 0 // only a kernel has ticks
	}
	return f.TCP.Tick
}

// TickPhase is the phase of the ticks of the host behind a NIC.
func TickPhase(run *scenario.Run, f *scenario.Fabric, nic int32) units.Time {
	tick := TimerTick(run, f)
	if tick == 0 {
		return 0
	}
	pcg := engine.Stream(run.Seed, streamTicks, uint32(nic))
	return units.Time(pcg.Uint64() % uint64(tick))
}
