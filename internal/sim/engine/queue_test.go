package engine

import (
	"math/rand/v2"
	"slices"
	"testing"

	"weft/units"
)

// TestQueueAgreesWithASort pushes random events into the queue, near, at the same
// instant and beyond the wheel, and compares it with a sorted list.
func TestQueueAgreesWithASort(t *testing.T) {
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 1))
		q := NewQueue(uint(1+rng.IntN(12)), 6+uint(rng.IntN(7)))
		var twin []Event
		now := Event{Time: -1}
		floor := units.Time(0) // nothing earlier may be pushed
		push := func() {
			e := Event{Time: max(floor, now.Time), Class: Class(rng.IntN(16)), Source: rng.Uint64N(50)}
			switch rng.IntN(4) {
			case 0:
				e.Time += units.Time(rng.IntN(50))
			case 1:
				e.Time += units.Time(rng.IntN(5000))
			case 2:
				e.Time += units.Time(rng.IntN(50_000_000))
			}
			if compare(e, now) <= 0 || slices.Contains(twin, e) {
				return
			}
			twin = append(twin, e)
			q.Push(e.Time, e.Class, e.Source)
		}
		for range 20 {
			push()
		}
		for range 2000 {
			slices.SortFunc(twin, compare)
			if want := first(twin); q.NextTime() != want {
				t.Fatalf("seed %d: NextTime = %d, want %d", seed, q.NextTime(), want)
			}
			limit := max(0, now.Time) + units.Time(rng.IntN(100_000_000))
			got, ok := q.Pop(limit)
			if want := len(twin) > 0 && twin[0].Time < limit; ok != want {
				t.Fatalf("seed %d: Pop(%d) = %v, want %v", seed, limit, ok, want)
			}
			if !ok {
				floor = limit
			}
			if ok {
				want := twin[0]
				want.Last = len(twin) == 1 || twin[1].Time > want.Time
				if got != want {
					t.Fatalf("seed %d: Pop = %+v, want %+v", seed, got, want)
				}
				now, twin = twin[0], twin[1:]
			}
			for range rng.IntN(3) {
				push()
			}
			if q.Len() != len(twin) {
				t.Fatalf("seed %d: Len = %d, want %d", seed, q.Len(), len(twin))
			}
		}
	}
}

func first(twin []Event) units.Time {
	if len(twin) == 0 {
		return units.Forever
	}
	return twin[0].Time
}

func compare(a, b Event) int {
	switch {
	case a.Time != b.Time:
		return int(a.Time - b.Time)
	case a.Class != b.Class:
		return int(a.Class) - int(b.Class)
	}
	return int(a.Source) - int(b.Source)
}

func TestQueueRefusesThePast(t *testing.T) {
	q := NewQueue(10, 6)
	q.Push(5000, 1, 1)
	e, _ := q.Pop(units.Forever)
	for _, past := range []Event{{Time: 4999, Class: 9, Source: 9}, {Time: 5000, Class: 1, Source: 1}, {Time: 5000, Class: 0, Source: 7}} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("Push(%+v) after %+v did not panic", past, e)
				}
			}()
			q.Push(past.Time, past.Class, past.Source)
		}()
	}
}

func BenchmarkQueue(b *testing.B) {
	for _, pending := range []int{256, 8192} {
		b.Run(map[int]string{256: "256", 8192: "8192"}[pending], func(b *testing.B) {
			q := NewQueue(7, 14)
			rng := rand.New(rand.NewPCG(1, 1))
			for i := range pending {
				q.Push(units.Time(rng.IntN(1_000_000)), 1, uint64(i))
			}
			b.ReportAllocs()
			for b.Loop() {
				e, _ := q.Pop(units.Forever)
				q.Push(e.Time+units.Time(80_000+e.Source%64*3000), 1, e.Source)
			}
		})
	}
}
