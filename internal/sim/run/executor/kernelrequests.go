package executor

import (
	"weft/internal/sim/fabric"
	"weft/internal/sim/protocol"
	"weft/internal/sim/run/host"
	"weft/units"
)

// isPostedByKernel reports whether a GPU kernel posts a message, as several work requests. A socket has none; a queue pair
// whose packets may be delivered in any order would deliver the signal before the data.
func (c *carrier) isPostedByKernel(m *message) bool {
	return m.posting != nil && protocol.Of(c.net.Plan.Fabric.Kind).Reads
}

// partSize is the size of the parts of a message for the queue pairs of its connection, and sets the
// number of requests of each.
func (m *message) partSize() int64 {
	requests := int64(max(1, m.posting.Requests))
	parts := min(requests, int64(max(1, m.posting.Spread)))
	m.requests = (requests + parts - 1) / parts
	return (m.bytes + parts - 1) / parts
}

// proxyOf is the proxy thread that posts a message. Connections of a kernel that has several threads
// have them in turn.
func (c *carrier) proxyOf(k *Pair, m *message) *proxy {
	number := k.Group
	if m.posting != nil && m.limits.threads > 1 {
		number -= (m.posting.Connection + k.To) % int32(m.limits.threads) // below the messages' own, which no communicator has
	}
	return c.hosts[m.rank].proxy(number)
}

// dispatchRequests takes a message that a GPU's kernel cuts into work requests through the host: a
// WRITE for each, and the signal that all are there, by immediate data of the last WRITE or by an
// empty request after it. The kernel's warps post at the same time. A proxy thread posts one request
// after the other.
//
// An atomic is an empty WRITE with immediate data here: the fabric's receiver learns of arrivals by
// completions. It is 12 B shorter than a FETCH_ADD (IBA vol. 1, 9.3.3.1 and 9.4.5).
func (c *carrier) dispatchRequests(p *fabric.Partition, e *endpoint, whole host.Transfer, m *message, extra units.Time) {
	each := max(1, m.bytes/m.requests)
	last := m.bytes - each*(m.requests-1)
	if m.posting.Signal {
		last = 0
	}
	e.under.post(posting{m.due, m.tag, m.number, m.parts, last})
	thread := c.proxyOf(&e.pair, m)
	post := func(t host.Transfer) {
		at := c.Path.InTurn(&e.taken, c.Jitter.InOrder(&e.latest, m.at+c.Path.SendTime(t.Bytes)+extra))
		c.schedule(p, m.rank, at, host.Timer{Kind: host.TimerPost, Transfer: t})
	}
	for left := m.bytes; left > 0; left -= each {
		t := whole
		if t.Bytes = each; left < 2*each {
			t.Bytes, each = left, left
		}
		if t.Silent = left > t.Bytes || m.posting.Signal; t.Silent {
			t.Tag = noTag
		}
		post(t)
		if m.limits.proxy > 0 && (left > t.Bytes || m.posting.Signal) {
			m.at = max(m.at, thread.nextTurn(p.Now(), m.limits.proxy))
		}
	}
	if m.posting.Signal {
		whole.Bytes = 0
		post(whole)
	}
}
