package executor

import (
	"weft/internal/sim/collective/nccl"
	"weft/units"
)

// Pace is what bounds the rate of a collective beside the wires, as
// nccl.Overheads has it. Zero is no bound.
type Pace struct {
	kernel units.PerByte // of data that the kernel of a channel takes
	Host   units.PerByte // of what a node sends to others, as on the wire
	proxy  units.Time    // between two messages of a connection
	// passed is, by node, when the host has passed on all that it was given.
	passed  []units.Time
	perNode int // ranks
}

func paceOf(o *nccl.Overheads, nodes, perNode int) Pace {
	return Pace{
		kernel: dataRate(o.ChannelGBps, 1), Host: dataRate(o.HostGBps, o.Fraction),
		proxy: o.Proxy, passed: make([]units.Time, nodes), perNode: perNode,
	}
}

// leave is when a message of a rank that a connection gets now leaves for the
// NIC: when the host has passed it on, as a whole, and the connection's message
// before has been posted.
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
