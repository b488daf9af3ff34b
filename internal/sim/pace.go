package sim

import (
	"weft/internal/collective/nccl"
	"weft/units"
)

// pace is what bounds the rate of a collective beside the wires, as
// nccl.Overheads has it. Zero is no bound.
type pace struct {
	kernel units.PerByte // of data that the kernel of a channel takes
	host   units.PerByte // of what a node sends to others, as on the wire
	proxy  units.Time    // between two messages of a connection
	// passed is, by node, when the host has passed on all that it was given.
	passed  []units.Time
	perNode int // ranks
}

func paceOf(o *nccl.Overheads, nodes, perNode int) pace {
	return pace{
		kernel: dataRate(o.ChannelGBps, 1), host: dataRate(o.HostGBps, o.Fraction),
		proxy: o.Proxy, passed: make([]units.Time, nodes), perNode: perNode,
	}
}

// leave is when a message of a rank that a connection gets now leaves for the
// NIC: when the host has passed it on, as a whole, and the connection's message
// before has been posted.
func (p *pace) leave(rank int, c *connections, now units.Time, bytes int64) units.Time {
	at := max(now, c.posting)
	if p.host.Num > 0 {
		passed := &p.passed[rank/p.perNode]
		at = max(at, *passed) + units.Time(bytes*p.host.Num/p.host.Den)
		*passed = at
	}
	c.posting = at + p.proxy
	return at
}
