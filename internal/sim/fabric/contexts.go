package fabric

import "weft/units"

// Contexts is the store of queue pair contexts in a NIC, each with the translation of its buffers'
// addresses. Contexts of further queue pairs are in the host's memory.
type Contexts struct {
	// Entries is the number of contexts. The store is direct-mapped: queue pair q is in entry
	// q modulo Entries.
	Entries int
	// Fetch is the time to fetch a context, and AtOnce the number of fetches in flight.
	Fetch  units.Time
	AtOnce int
}

// interval is the time between two fetches if they follow each other.
func (c *Contexts) interval() units.Time { return c.Fetch / units.Time(c.AtOnce) }

// contexts is the state of a NIC's store.
type contexts struct {
	spec    *Contexts
	entries []units.QPN              // the queue pair in each entry, plus one; 0 is none
	fetched units.Time               // end of the last fetch for sending
	waiting map[units.QPN]units.Time // flows that wait for their context, and until when
}

func newContexts(c *Contexts) *contexts {
	if c == nil {
		return nil
	}
	return &contexts{spec: c, entries: make([]units.QPN, c.Entries), waiting: map[units.QPN]units.Time{}}
}

// missed reports whether the context of a queue pair is not in the store; it is from now on.
func (c *contexts) missed(p *Partition, q units.QPN) bool {
	entry := &c.entries[int(q)%len(c.entries)]
	if *entry == q+1 {
		return false
	}
	*entry = q + 1
	p.stats.ContextMisses++
	return true
}

// await reports whether a flow has to wait for its context before its next packet. The NIC runs the
// flow again when the context is there; other flows go on. The first packet goes then, even if
// another flow has taken the entry in the meantime.
func (c *contexts) await(p *Partition, nic *nicState, node int32, f *flow) bool {
	at, waits := c.waiting[f.id]
	switch {
	case waits && p.now >= at:
		delete(c.waiting, f.id)
		return false
	case waits:
	case c.missed(p, f.id):
		at = max(p.now+c.spec.Fetch, c.fetched+c.spec.interval())
		c.fetched, c.waiting[f.id] = at, at
	default:
		return false
	}
	if at < f.timerAt {
		nic.arm(p, node, f, at)
	}
	return true
}
