package runtest

import (
	"sync"

	"weft/internal/sim/known"
)

// Memory is a store of known simulations for one test.
type Memory struct {
	Entries       map[known.Key]known.Entry
	Found, Missed int // calls of Get

	mu sync.Mutex
}

// NewMemory is an empty store.
func NewMemory() *Memory { return &Memory{Entries: make(map[known.Key]known.Entry)} }

// Get implements known.Store.
func (m *Memory) Get(k known.Key) ([]byte, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	e, is := m.Entries[k]
	if is {
		m.Found++
	} else {
		m.Missed++
	}
	return e.Value, is
}

// Put implements known.Store.
func (m *Memory) Put(k known.Key, e known.Entry) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.Entries[k] = e
}
