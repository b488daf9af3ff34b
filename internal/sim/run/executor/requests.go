package executor

import (
	"weft/internal/sim/fabric"
	"weft/internal/sim/run/host"
	"weft/units"
)

// dispatchRequests takes a message that a GPU's kernel cuts into work requests through the host: a
// WRITE for each, and the signal that all are there, by immediate data of the last WRITE or by an
// empty request after it. The kernel's warps post at the same time. A proxy thread posts one request
// after the other.
//
// An atomic is an empty WRITE with immediate data here: the fabric's receiver learns of arrivals by
// completions. It is 12 B shorter than a FETCH_ADD (IBA vol. 1, 9.3.3.1 and 9.4.5).
func (c *carrier) dispatchRequests(p *fabric.Partition, e *endpoint, whole host.Transfer, m *message, extra units.Time) {
	requests := int64(max(1, m.posting.Requests))
	each := m.bytes / requests
	last := m.bytes - each*(requests-1)
	if m.posting.Signal {
		last = 0
	}
	e.under.post(posting{m.due, m.tag, m.number, m.parts, last})
	h := &c.hosts[m.rank]
	thread := h.proxy(e.pair.Group)
	post := func(t host.Transfer) {
		c.schedule(p, m.rank, c.Jitter.InOrder(&e.latest, m.at+c.Path.Send+extra), host.Timer{Kind: host.TimerPost, Transfer: t})
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
		if m.pace.proxy > 0 && (left > t.Bytes || m.posting.Signal) {
			m.at = max(m.at, thread.take(p.Now(), m.pace.proxy))
		}
	}
	if m.posting.Signal {
		whole.Bytes = 0
		post(whole)
	}
}
