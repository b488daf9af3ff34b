package reduction

import (
	"math/rand/v2"
	"testing"
)

func TestASumIsCompleteWithTheLastOfItsParts(t *testing.T) {
	var s Sums
	a, b, alone := ID{Key: 1, Burst: 1}, ID{Key: 1, Burst: 2}, ID{Key: 2}
	for i, c := range []struct {
		id   ID
		of   int32
		last bool
	}{{a, 3, false}, {b, 3, false}, {a, 3, false}, {alone, 1, true}, {a, 3, true}, {b, 3, false}, {b, 3, true}, {a, 3, false}} {
		if got := s.Add(c.id, c.of); got != c.last {
			t.Errorf("contribution %d, to burst %d: last %v, want %v", i+1, c.id.Burst, got, c.last)
		}
	}
	if s.open != 1 {
		t.Errorf("%d sums are open, want the new one", s.open)
	}
}

// TestSumsAgreeWithAMap adds contributions to up to 1,000 sums in random order, whose table has to grow, and whose
// removals leave gaps in long rows.
func TestSumsAgreeWithAMap(t *testing.T) {
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 3))
		var s Sums
		twin := map[ID]int32{}
		most := 1 + rng.IntN(1000)
		for range 20_000 {
			id := ID{Key: uint64(rng.IntN(most)) << 20, Burst: uint32(rng.IntN(2)), Node: int32(rng.IntN(2))}
			of := int32(1 + id.Key>>20%5)
			twin[id]++
			want := twin[id] == of
			if want {
				delete(twin, id)
			}
			if got := s.Add(id, of); got != want {
				t.Fatalf("seed %d: the sum %v of %d is complete: %v, want %v", seed, id, of, got, want)
			}
			if s.open != len(twin) {
				t.Fatalf("seed %d: %d sums are open, want %d", seed, s.open, len(twin))
			}
		}
	}
}
