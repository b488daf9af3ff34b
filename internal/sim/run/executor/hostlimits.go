package executor

import (
	"math"

	"weft/internal/sim/collective"
	"weft/internal/sim/collective/nccl"
	"weft/units"
)

// HostLimits are what the hosts of a node's ranks can do with the messages of a collective, beyond the
// wires. They come from nccl.Overheads.
type HostLimits struct {
	// PerByte is the time of a byte that a node sends to others, as on the wire. Zero is no limit.
	PerByte units.PerByte
	proxy   units.Time // of a proxy thread for a message that it posts or tests for
	tests   bool       // the kernel sees a message only after the receiver's proxy thread
	threads int        // proxy threads of a rank; 0 is 1
	slots   int        // that a message takes, from 1 on; 0 is 1
	// unlimited is true if a connection takes messages without waiting for earlier ones.
	unlimited bool
	// passed is, by node, the time at which the host has passed on all its data.
	passed  []units.Time
	perNode int // ranks
}

func hostLimitsOf(o *nccl.Overheads, nodes, perNode int) HostLimits {
	return HostLimits{
		PerByte: dataRate(o.HostGBps, o.Fraction), proxy: o.Proxy, tests: o.Tests, slots: o.SliceSteps,
		passed: make([]units.Time, nodes), perNode: perNode,
	}
}

// maxInFlight is the number of a connection's messages without an acknowledgement, at most.
func (h *HostLimits) maxInFlight() int {
	if h.unlimited {
		return math.MaxInt
	}
	return collective.Slots / max(1, h.slots)
}

// leavesAt is the time at which a message of a rank leaves for the NIC: the proxy thread has come to
// it, and the host has passed on the whole message.
func (h *HostLimits) leavesAt(rank int, thread *proxy, now units.Time, bytes int64) units.Time {
	at := thread.nextTurn(now, h.proxy)
	if h.PerByte.Num > 0 {
		passed := &h.passed[rank/h.perNode]
		at = max(at, *passed) + units.Time(bytes*h.PerByte.Num/h.PerByte.Den)
		*passed = at
	}
	return at
}
