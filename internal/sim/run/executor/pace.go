package executor

import (
	"math"

	"weft/internal/sim/collective"
	"weft/internal/sim/collective/nccl"
	"weft/units"
)

// Pace is the bounds on the rate of a collective in addition to the wires, from nccl.Overheads.
// Zero is no bound.
type Pace struct {
	Host  units.PerByte // time of a byte that a node sends to others, as on the wire
	proxy units.Time    // of a proxy thread for a message that it posts or tests for
	// tests is true if the kernel sees a message only after the receiver's proxy thread.
	tests   bool
	threads int // proxy threads of a rank; 0 is 1
	slots   int // of a message, from 1 on: 0 is 1
	// free is true if a connection takes messages without waiting for earlier ones.
	free bool
	// passed is, by node, the time at which the host has passed on all its data.
	passed  []units.Time
	perNode int // ranks
}

func paceOf(o *nccl.Overheads, nodes, perNode int) Pace {
	return Pace{
		Host:  dataRate(o.HostGBps, o.Fraction),
		proxy: o.Proxy, tests: o.Tests, slots: o.SliceSteps, passed: make([]units.Time, nodes), perNode: perNode,
	}
}

// ahead is the number of messages of a connection that have no acknowledgement, at most.
func (p *Pace) ahead() int {
	if p.free {
		return math.MaxInt
	}
	return collective.Slots / max(1, p.slots)
}

// leave is the time at which a message of a rank leaves for the NIC: the rank's proxy thread has
// come to it, and the host has passed it on as a whole.
func (p *Pace) leave(rank int, thread *proxy, now units.Time, bytes int64) units.Time {
	at := thread.take(now, p.proxy)
	if p.Host.Num > 0 {
		passed := &p.passed[rank/p.perNode]
		at = max(at, *passed) + units.Time(bytes*p.Host.Num/p.Host.Den)
		*passed = at
	}
	return at
}

// proxy is the proxy thread of a rank in a communicator (ncclProxyProgress in src/proxy.cc). It
// serves all connections of the rank, one message after the other: it posts what the kernel has
// written, and tests for what arrives.
type proxy struct{ free units.Time }

// take is the time at which the thread comes to a message.
func (t *proxy) take(now, takes units.Time) units.Time {
	at := max(now, t.free)
	t.free = at + takes
	return at
}

// sees is the time at which the kernel's data is known to be there. With LL and LL128 the kernel
// reads flags, whatever the thread does.
func (t *proxy) sees(now units.Time, p *Pace) units.Time {
	if at := t.take(now, p.proxy); p.tests {
		return at
	}
	return now
}

// proxy is the thread of a communicator, by its number.
func (h *rankHost) proxy(group int32) *proxy {
	t := h.proxies[group]
	if t == nil {
		if h.proxies == nil {
			h.proxies = make(map[int32]*proxy)
		}
		t = new(proxy)
		h.proxies[group] = t
	}
	return t
}
