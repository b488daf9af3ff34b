package adapter

import (
	"weft/internal/sim/state"
	"weft/units"
)

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

// Store is the state of a NIC's store.
type Store struct {
	spec    *Contexts
	entries []units.QPN              // the queue pair in each entry, plus one; 0 is none
	fetched units.Time               // end of the last fetch for sending
	waiting map[units.QPN]units.Time // flows that wait for their context, and until when
}

// NewStore is an empty store.
func NewStore(c *Contexts) *Store {
	return &Store{spec: c, entries: make([]units.QPN, c.Entries), waiting: map[units.QPN]units.Time{}}
}

// misses reports whether the context of a queue pair is not in the store; it is from now on.
func (s *Store) misses(q units.QPN) bool {
	entry := &s.entries[int(q)%len(s.entries)]
	if *entry == q+1 {
		return false
	}
	*entry = q + 1
	return true
}

// Send is when a queue pair may send its next packet. miss says that its context is fetched from now
// on; other queue pairs go on meanwhile. The first packet goes when the context is there, even if
// another queue pair has taken the entry in the meantime.
func (s *Store) Send(q units.QPN, now units.Time) (ready units.Time, miss bool) {
	ready, waits := s.waiting[q]
	switch {
	case waits && now >= ready:
		delete(s.waiting, q)
		return now, false
	case waits:
		return ready, false
	case s.misses(q):
		ready = max(now+s.spec.Fetch, s.fetched+s.spec.interval())
		s.fetched, s.waiting[q] = ready, ready
		return ready, true
	}
	return now, false
}

// Receive is when the NIC has received a packet of a queue pair, which came at a time and takes a time
// to receive. miss says that the context is fetched.
func (s *Store) Receive(q units.QPN, now, came, taking units.Time) (done units.Time, miss bool) {
	if !s.misses(q) {
		return now + taking, false
	}
	return max(now+max(taking, s.spec.interval()), came+s.spec.Fetch), true
}

// WalkState visits the store.
func (s *Store) WalkState(w *state.Walk) {
	w.Visit(&s.entries)
	w.Until(&s.fetched)
	if len(s.waiting) > 0 {
		w.Refuse("flow that waits for its context")
	}
}
