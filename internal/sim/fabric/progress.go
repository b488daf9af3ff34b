package fabric

import (
	"fmt"
	"sync/atomic"

	"weft/units"
)

// progress is how far a run has come, for who looks on from outside of it.
type progress struct {
	events  atomic.Int64
	reached atomic.Int64 // picoseconds
	hopped  atomic.Int64 // picoseconds: the last packet-hop
}

// moved notes what a partition has done in a window, and ends the run when it is
// too much, or when nothing has moved for too long although packets are there.
func (p *Partition) moved(events, hops int64) {
	n := p.net
	if hops > 0 {
		n.progress.hopped.Store(int64(p.now))
	}
	since := units.Time(n.progress.hopped.Load())
	if p.pool.live > 0 && p.now-since > n.patience && p.err == nil {
		p.err = &Standstill{}
	}
	n.progress.reached.Store(int64(p.now))
	sum := n.progress.events.Add(events)
	if n.maxEvents > 0 && sum > n.maxEvents && p.err == nil {
		p.err = &Overload{"events (run.limit.events)", n.maxEvents}
	}
}

// Progress is the simulated time and the number of events so far. It may be
// called while the network runs.
func (n *Network) Progress() (simulated units.Time, events int64) {
	return units.Time(n.progress.reached.Load()), n.progress.events.Load()
}

// patience is how long packets may stand still before a run is given up: far
// longer than any pause lasts whose cause goes away. Where packets at the head
// of a queue have a lifetime, it is longer than that.
const patience = 50 * units.Millisecond

// Standstill is a run in which packets are there and none makes a hop any more:
// they wait for each other in a circle, or for what never comes.
type Standstill struct {
	Since   units.Time // when the last of the packets that wait in switches came
	Waiting string     // what waits for what
}

// Error says since when nothing moves, and what waits for what.
func (s *Standstill) Error() string {
	return fmt.Sprintf("no progress since %v: %s", s.Since, s.Waiting)
}

// lastArrival is when the last of the packets that wait in switches came. In a
// standstill it does not depend on when the run is given up.
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
