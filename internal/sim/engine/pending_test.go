package engine

import (
	"math/rand/v2"
	"slices"
	"testing"

	"weft/units"
)

// TestPendingEventsMoveOn takes the pending events of a queue of each kind, moves them on, and pops them.
func TestPendingEventsMoveOn(t *testing.T) {
	for seed := range uint64(100) {
		rng := rand.New(rand.NewPCG(seed, 2))
		q, c := NewQueue(8, 6), NewCells(5, 10, 3)
		var want []Waiting
		for range 200 {
			e := Waiting{Event{Time: units.Time(rng.IntN(1 << (4 + rng.IntN(16)))), Class: Class(rng.IntN(16)), Source: rng.Uint64N(1000)}, rng.IntN(5)}
			if slices.ContainsFunc(want, func(o Waiting) bool { return compare(o.Event, e.Event) == 0 }) {
				continue
			}
			want = append(want, e)
			q.Push(e.Time, e.Class, e.Source)
			c.Push(e.Cell, e.Time, e.Class, e.Source)
		}
		halt := units.Time(rng.IntN(1 << 12))
		for e, ok := q.Pop(halt); ok; e, ok = q.Pop(halt) {
			want = slices.DeleteFunc(want, func(o Waiting) bool { return compare(o.Event, e) == 0 })
		}
		for c.NextTime() < halt {
			end := c.Seek(c.NextSlot())
			for c.Open() >= 0 {
				for ok := true; ok; {
					_, ok = c.Next(min(end, halt))
				}
			}
		}
		slices.SortFunc(want, func(a, b Waiting) int { return compare(a.Event, b.Event) })
		moved := c.Pending(nil)
		if !slices.Equal(moved, want) {
			t.Fatalf("seed %d: the cells have %d pending events, want %d", seed, len(moved), len(want))
		}
		if n := len(q.Pending(nil)); n != len(want) {
			t.Fatalf("seed %d: the queue has %d pending events, want %d", seed, n, len(want))
		}
		by := units.Time(rng.IntN(1 << 30))
		for i := range moved {
			moved[i].Time += by
		}
		q.Restart(halt+by, moved)
		c.Restart(halt+by, moved)
		if !slices.Equal(c.Pending(nil), moved) || c.NextTime() != q.NextTime() {
			t.Fatalf("seed %d: after the move the cells have other events", seed)
		}
		for i := range moved {
			if e, ok := q.Pop(units.Forever); !ok || compare(e, moved[i].Event) != 0 {
				t.Fatalf("seed %d: after the move event %d is %+v, want %+v", seed, i, e, moved[i].Event)
			}
		}
	}
}
