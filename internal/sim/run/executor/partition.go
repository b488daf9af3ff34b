package executor

import (
	"weft/internal/sim/collective"
	"weft/internal/sim/fabric"
	"weft/internal/sim/run/measure"
	"weft/internal/sim/run/network"
	"weft/units"
)

// partition is the counters and the scratch data of one simulation partition for messages and
// collectives. All other state belongs to a rank, a NIC or a node, and so to that node's partition:
// a node learns of another only through packets.
type partition struct {
	flows   *measure.FlowTimes
	failure failure
	relays  []relay
	unused  int32 // the first free relay; -1 if there is none
	step    collective.Step
	peeked  collective.Step // scratch for looking at a lane's later step
	_       [64]byte        // each partition has its own cache lines
}

// failure is the first error.
type failure struct {
	err error
	at  units.Time
	by  int32 // the NIC or the rank: of equal times the lowest number is first
}

// before reports whether a failure is the first of two.
func (f *failure) before(o *failure) bool {
	return f.err != nil && (o.err == nil || f.at < o.at || f.at == o.at && f.by < o.by)
}

// on sets the carrier's network.
func (c *carrier) on(n *network.Network) {
	c.net = n
	c.partitions = make([]partition, n.Partitions())
	for i := range c.partitions {
		c.partitions[i].flows, c.partitions[i].unused = measure.NewFlowTimes(), -1
	}
}

// partition is the state of a simulation partition.
func (c *carrier) partition(p *fabric.Partition) *partition { return &c.partitions[p.ID()] }

// fail records an error at a NIC or a rank.
func (c *carrier) fail(p *fabric.Partition, by int32, err error) {
	s, f := c.partition(p), failure{err, p.Now(), by}
	if f.before(&s.failure) {
		s.failure = f
	}
}

// failed is the first error; nil if there is none.
func (c *carrier) failed() error {
	var first failure
	for i := range c.partitions {
		if f := &c.partitions[i].failure; f.before(&first) {
			first = *f
		}
	}
	return first.err
}

// flowTimes are the completion times of all messages.
func (c *carrier) flowTimes() *measure.FlowTimes {
	all := measure.NewFlowTimes()
	for i := range c.partitions {
		all.Join(c.partitions[i].flows)
	}
	return all
}
