package training

import (
	"bytes"
	"strings"
	"sync"
	"testing"

	"weft/internal/sim"
	"weft/internal/sim/known"
	"weft/internal/sim/simtest"
)

// memory is a store for one test.
type memory struct {
	mu      sync.Mutex
	entries map[known.Key]known.Entry
	missed  int
}

func (m *memory) Get(k known.Key) ([]byte, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	e, is := m.entries[k]
	if !is {
		m.missed++
	}
	return e.Value, is
}

func (m *memory) Put(k known.Key, e known.Entry) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.entries[k] = e
}

// disturbed is the job beside storage, with a slow cable.
var disturbed = strings.Replace(collidingJob, "fabrics: [infiniband-ndr, roce-v2-400g]", `fabrics:
  - {preset: infiniband-ndr, ib: {sharp: true}}
  - {preset: roce-v2-400g, slow-links: [{nics: node1/nic2, rate: 200Gbps}]}`, 1)

func TestAKnownStepIsTheSimulated(t *testing.T) {
	for name, job := range map[string]string{"colliding": collidingJob, "disturbed, with trees": disturbed} {
		r := simtest.Resolve(t, job+"run: {seed: 5}\n")
		run := func(cache known.Store) (text []byte, last sim.Progress) {
			out, err := Run(t.Context(), r, Options{Workers: 2, Seeds: 2, Cache: cache, Progress: func(p sim.Progress) { last = p }})
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if text, err = out.Encode(); err != nil {
				t.Fatal(err)
			}
			return text, last
		}
		want, _ := run(nil)
		cache := &memory{entries: make(map[known.Key]known.Entry)}
		first, _ := run(cache)
		cache.missed = 0
		again, told := run(cache)
		if cache.missed > 0 || told.Known == 0 {
			t.Errorf("%s: %d simulations were not known, %d of %d were", name, cache.missed, told.Known, told.Total)
		}
		if !bytes.Equal(first, want) || !bytes.Equal(again, want) {
			t.Errorf("%s: steps without a cache, with an empty one and a full one differ", name)
		}
		for key, e := range cache.entries {
			k, value, err := Resimulate(t.Context(), e.Recipe, 1)
			if err != nil || k != key || !bytes.Equal(value, e.Value) {
				t.Errorf("%s: %s, from its recipe: %v, another key %t, another value %t", name, e.What, err, k != key, !bytes.Equal(value, e.Value))
			}
		}
	}
}

// A larger batch uses the phases more often, and changes none of them.
func TestAJobWithTheSamePhasesIsKnown(t *testing.T) {
	cache := &memory{entries: make(map[known.Key]known.Entry)}
	for i, batch := range []string{"global: 32", "global: 64"} {
		cache.missed = 0
		r := simtest.Resolve(t, strings.Replace(collidingJob, "global: 32", batch, 1))
		if _, err := Run(t.Context(), r, Options{Cache: cache}); err != nil {
			t.Fatal(err)
		}
		if (cache.missed == 0) != (i == 1) {
			t.Errorf("with %s %d simulations were not known", batch, cache.missed)
		}
	}
}
