package executor

import (
	"weft/internal/sim/collective/nccl"
	"weft/units"
)

// Pace is the bounds on the rate of a collective in addition to the wires, from nccl.Overheads.
// Zero is no bound.
type Pace struct {
	Host  units.PerByte // time of a byte that a node sends to others, as on the wire
	proxy units.Time    // between two messages of a connection
	// passed is, by node, the time at which the host has passed on all its data.
	passed  []units.Time
	perNode int // ranks
}

func paceOf(o *nccl.Overheads, nodes, perNode int) Pace {
	return Pace{
		Host:  dataRate(o.HostGBps, o.Fraction),
		proxy: o.Proxy, passed: make([]units.Time, nodes), perNode: perNode,
	}
}

// leave is the time at which a message of a rank leaves for the NIC: the host has passed it on, as
// a whole, and the connection's previous message has been posted.
func (p *Pace) leave(rank int, c *connections, now units.Time, bytes int64) units.Time {
	at := max(now, c.posting)
	if p.Host.Num > 0 {
		passed := &p.passed[rank/p.perNode]
		at = max(at, *passed) + units.Time(bytes*p.Host.Num/p.Host.Den)
		*passed = at
	}
	c.posting = at + p.proxy
	return at
}
