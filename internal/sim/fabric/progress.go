package fabric

import (
	"fmt"
	"sync/atomic"

	"weft/units"
)

// progress is the progress of a run, for an outside observer.
type progress struct {
	events  atomic.Int64
	hops    atomic.Int64
	reached atomic.Int64 // picoseconds
	hopped  atomic.Int64 // picoseconds: time of the last packet-hop or delivery
	// What was skipped, which events and hops include.
	periods, unneeded atomic.Int64 // periods, and the events in them
	skipped           atomic.Int64 // picoseconds
}

// skip adds a number of skipped periods, which take a time together.
func (p *progress) skip(periods int64, by units.Time, events, hops int64) {
	p.periods.Add(periods)
	p.skipped.Add(int64(by))
	p.unneeded.Add(events)
	p.events.Add(events)
	p.hops.Add(hops)
	p.hopped.Add(int64(by))
	p.reached.Add(int64(by))
}

// addProgress adds a partition's work in a window: its events, its packet-hops, and the packets
// delivered, those of the scale-up network with them. It ends the run if the work exceeds a bound, or if
// nothing has moved for too long although there are packets.
func (p *Partition) addProgress(events, hops, delivered int64) {
	n := p.net
	if hops+delivered > 0 {
		n.progress.hopped.Store(int64(p.now))
	}
	since := units.Time(n.progress.hopped.Load())
	if p.pool.live > 0 && p.now-since > n.patience && p.err == nil {
		p.err = &Standstill{}
	}
	n.progress.reached.Store(int64(p.now))
	n.progress.hops.Add(hops)
	sum := n.progress.events.Add(events)
	if n.maxEvents > 0 && sum > n.maxEvents && p.err == nil {
		p.err = &Overload{"events (run.limit.events)", n.maxEvents}
	}
}

// Progress is the simulated time, and the numbers of events and of packet-hops so far. It may be
// called while the network runs.
func (n *Network) Progress() (simulated units.Time, events, hops int64) {
	return units.Time(n.progress.reached.Load()), n.progress.events.Load(), n.progress.hops.Load()
}

// LastEvent is the time of the last event of a run, which is over.
func (n *Network) LastEvent() (last units.Time) {
	for _, p := range n.parts {
		last = max(last, p.now)
	}
	return last
}

// patience is the time without a packet-hop or a delivery after which a run is abandoned: far longer than any
// pause whose cause can end. If packets at the head of a queue have a lifetime, it is longer than
// that.
const patience = 50 * units.Millisecond

// Standstill is a run with packets in the network but without any further packet-hop or delivery: they wait for
// each other in a circle, or for an event that never happens.
type Standstill struct {
	Since   units.Time // time at which the last of the packets waiting in switches arrived
	Waiting string     // the waiting ports, each with the reason
}

// Error gives the time since which nothing has moved, and the waiting ports.
func (s *Standstill) Error() string {
	return fmt.Sprintf("no progress since %v: %s", s.Since, s.Waiting)
}

// lastArrival is the time at which the last of the packets waiting in switches arrived. In a
// standstill it does not depend on when the run is abandoned.
func (n *Network) lastArrival() (last units.Time) {
	for _, p := range n.parts {
		for i := range p.pool.hot {
			if k := &p.pool.hot[i]; k.role != roleNone {
				last = max(last, k.arrive)
			}
		}
	}
	return last
}
