package fabric

import (
	"math/bits"

	"weft/internal/sim/fabric/counts"
	"weft/units"
)

// Pacing is an application that looks at its own pace now and then, and leaves out a part of what it would do
// next if the pace is steady. The network stays as it is meanwhile: its clock, packets, queues, timers and
// random streams go on from where they stand.
type Pacing interface {
	// Look is called between two events of the network. moved says that the network has skipped periods since the
	// last look, and moved its clock. Look returns the part that the application leaves out, and the number of
	// beats after which it is called again.
	Look(at units.Time, moved bool) (Leap, int)
}

// Leap is a part of a run that is not simulated.
type Leap struct {
	// Time is what the part would take, 0 if nothing is left out.
	Time units.Time
	// Since is a reading of the counters from which they have grown as they would in the part, and Over is the
	// time since then.
	Since *Reading
	Over  units.Time
}

// Reading is the counters of a network at one moment.
type Reading struct {
	stats counts.Stats
	bytes []int64 // by link
}

// leaps is what an application has left out of a run.
type leaps struct {
	app   Pacing // nil: it leaves nothing out
	left  int    // beats to the next look
	delay units.Time
	moved bool       // the clock, since the last look
	time  units.Time // of what was left out
	sum   Reading    // its counters
}

// LeaveOut lets an application leave out parts of the next run. It looks at its pace after a number of beats.
func (n *Network) LeaveOut(app Pacing, beats int) {
	n.leaps = leaps{app: app, left: beats, delay: max(settle, n.farthest())}
	if n.repeats.next > wordsAtLooks {
		n.repeats.app = nil
	}
}

// wordsAtLooks is the size of a state up to which periods are searched for at looks: 32 MB.
const wordsAtLooks = 1 << 22

// farthest is the longest time in which one end of a link can affect the other: no partitions have a longer
// window. So the time of a look does not depend on their number.
func (n *Network) farthest() (most units.Time) {
	for link := range n.ports {
		most = max(most, units.Time(n.ports[link].delay), n.propagation[link])
	}
	return most
}

// beat counts a beat. At the last one the run is to halt.
func (l *leaps) beat(p *Partition) {
	if l.left == 0 {
		return
	}
	if l.left--; l.left == 0 {
		p.halt = p.now + l.delay
	}
}

// lookAround looks for a period at a halt, and lets the application look at its pace. It returns the time that the
// application leaves out.
func (n *Network) lookAround(at, until units.Time) units.Time {
	l := &n.leaps
	if n.repeats.app != nil && n.lookBack(at, until) && l.app != nil {
		l.left, l.moved = 1, true
		return 0
	}
	if l.app == nil {
		return 0
	}
	leap, beats := l.app.Look(at, l.moved)
	l.left, l.moved = beats, false
	if leap.Time == 0 {
		return 0
	}
	before := l.sum.stats
	l.sum.grow(n.Reading(), &leap)
	l.time += leap.Time
	n.repeats.app = nil // its walk does not know of leaps
	events := l.sum.stats.Events - before.Events
	n.progress.leap(leap.Time, events, l.sum.stats.Hops-before.Hops)
	if n.maxEvents > 0 {
		n.maxEvents += events // it bounds those that are simulated
	}
	return leap.Time
}

// Reading reads the counters of the simulated part, between two events.
func (n *Network) Reading() *Reading {
	r := &Reading{n.simulated(), make([]int64, len(n.ports))}
	for link := range n.ports {
		r.bytes[link] = n.ports[link].bytes
	}
	return r
}

// Disturbed is the number of packets that were marked, cut, lost or repeated on a link.
func (r *Reading) Disturbed() int64 {
	s := &r.stats
	n := s.Marked + s.Trimmed + s.LinkRetries
	for _, dropped := range s.Dropped {
		n += dropped
	}
	return n
}

// grow adds what a leap would have counted: packets and bytes. Counts of pauses, stalls and marks, of losses and
// repetitions are not extrapolated.
func (r *Reading) grow(now *Reading, l *Leap) {
	if r.bytes == nil {
		r.bytes = make([]int64, len(now.bytes))
	}
	for link, bytes := range now.bytes {
		r.bytes[link] += share(bytes-l.Since.bytes[link], l)
	}
	s, a, b := &r.stats, &l.Since.stats, &now.stats
	s.Events += share(b.Events-a.Events, l)
	s.Hops += share(b.Hops-a.Hops, l)
	s.Hashed += share(b.Hashed-a.Hashed, l)
	s.Bursts += share(b.Bursts-a.Bursts, l)
	s.Injected += share(b.Injected-a.Injected, l)
}

// share is by how much a counter grows in a leap that has grown by so much before, rounded.
func share(grown int64, l *Leap) int64 {
	hi, lo := bits.Mul64(uint64(grown), uint64(l.Time))
	lo, carry := bits.Add64(lo, uint64(l.Over)/2, 0)
	quotient, _ := bits.Div64(hi+carry, lo, uint64(l.Over))
	return int64(quotient)
}
