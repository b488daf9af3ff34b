package executor

import "weft/units"

// proxy is the proxy thread of a rank in a communicator (ncclProxyProgress in src/proxy.cc). It
// serves all connections of the rank, one message after the other: it posts what the kernel has
// written, and tests for what arrives.
type proxy struct{ free units.Time }

// nextTurn is the time at which the thread comes to a message, for which it takes a time.
func (t *proxy) nextTurn(now, takes units.Time) units.Time {
	at := max(now, t.free)
	t.free = at + takes
	return at
}

// seesAt is the time at which the receiver knows that the kernel's data is there. With LL and LL128
// the kernel reads flags, and does not wait for the thread.
func (t *proxy) seesAt(now units.Time, h *HostLimits) units.Time {
	if at := t.nextTurn(now, h.proxy); h.tests {
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
