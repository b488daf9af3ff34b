package executor

import (
	"weft/internal/sim/collective"
	"weft/internal/sim/fabric"
	"weft/internal/sim/run/measure"
	"weft/internal/sim/run/network"
	"weft/units"
)

// share is what the carrying of messages and collectives has in one partition of the
// network alone: what it counts, and what it works with. All else belongs to a rank, a
// NIC or a node, and so to the partition of that node: what one node knows of another
// has come in a packet.
type share struct {
	flows   *measure.FlowTimes
	failure failure
	relays  []relay
	unused  int32 // the first of the relays that are free; -1 if none
	step    collective.Step
	peeked  collective.Step // of a lane that is looked at ahead of its turn
	_       [64]byte        // partitions count on cache lines of their own
}

// failure is what went wrong first.
type failure struct {
	err error
	at  units.Time
	by  int32 // the NIC or the rank: at one instant the least is the first
}

// before reports whether a failure is the first of two.
func (f *failure) before(o *failure) bool {
	return f.err != nil && (o.err == nil || f.at < o.at || f.at == o.at && f.by < o.by)
}

// on has the carrier work on a network.
func (c *carrier) on(n *network.Network) {
	c.net = n
	c.shares = make([]share, n.Partitions())
	for i := range c.shares {
		c.shares[i].flows, c.shares[i].unused = measure.NewFlowTimes(), -1
	}
}

// share is what a partition has.
func (c *carrier) share(p *fabric.Partition) *share { return &c.shares[p.ID()] }

// fail notes what went wrong at a NIC or a rank.
func (c *carrier) fail(p *fabric.Partition, by int32, err error) {
	s, f := c.share(p), failure{err, p.Now(), by}
	if f.before(&s.failure) {
		s.failure = f
	}
}

// failed is what went wrong first; nil if nothing did.
func (c *carrier) failed() error {
	var first failure
	for i := range c.shares {
		if f := &c.shares[i].failure; f.before(&first) {
			first = *f
		}
	}
	return first.err
}

// flowTimes are the completion times of all messages.
func (c *carrier) flowTimes() *measure.FlowTimes {
	all := measure.NewFlowTimes()
	for i := range c.shares {
		all.Join(c.shares[i].flows)
	}
	return all
}
