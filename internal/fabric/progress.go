package fabric

import (
	"sync/atomic"

	"weft/units"
)

// progress is how far a run has come, for who looks on from outside of it.
type progress struct {
	events  atomic.Int64
	reached atomic.Int64 // picoseconds
}

// moved notes what a partition has done in a window, and ends the run when it is
// too much.
func (p *Partition) moved(events int64) {
	n := p.net
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
