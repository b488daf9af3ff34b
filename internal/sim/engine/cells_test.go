package engine

import (
	"math/rand/v2"
	"slices"
	"testing"

	"weft/units"
)

// TestCellsAgreeWithASort pushes random events into the queue of cells: into the open cell,
// and from the next slot on into others. It stops now and then within a slot, and compares
// the events of each cell with a sorted list.
func TestCellsAgreeWithASort(t *testing.T) {
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 2))
		width, cells := uint(3+rng.IntN(12)), 1<<rng.IntN(8)
		q := NewCells(cells, width, uint(1+rng.IntN(8)))
		twin := make([][]Event, cells)
		push := func(cell int, at units.Time) {
			e := Event{Time: at, Class: Class(rng.IntN(16)), Source: rng.Uint64N(1 << 44)}
			if at, found := slices.BinarySearchFunc(twin[cell], e, compare); !found {
				twin[cell] = slices.Insert(twin[cell], at, e)
				q.Push(cell, e.Time, e.Class, e.Source)
			}
		}
		for range 400 {
			push(rng.IntN(cells), units.Time(rng.IntN(5<<width)))
		}
		for range 300 {
			if want := earliest(twin); q.NextTime() != want {
				t.Fatalf("seed %d: NextTime = %d, want %d", seed, q.NextTime(), want)
			}
			if q.NextTime() == units.Forever {
				break
			}
			end := q.Seek(q.NextSlot())
			if rng.IntN(3) == 0 {
				end -= units.Time(rng.IntN(1 << width))
			}
			for cell := q.Open(); cell >= 0; cell = q.Open() {
				drain(t, q, cell, end, twin, func(now units.Time) {
					if rng.IntN(3) == 0 {
						push(cell, now+1+units.Time(rng.IntN(2<<width)))
					}
					if rng.IntN(3) == 0 {
						push(rng.IntN(cells), now+1<<width+units.Time(rng.IntN(1_000_000)))
					}
				})
			}
		}
	}
}

// drain takes the open cell's events before a time and compares them with the twin's.
func drain(t *testing.T, q *Cells, cell int, end units.Time, twin [][]Event, each func(now units.Time)) {
	t.Helper()
	for {
		got, ok := q.Next(end)
		if !ok {
			break
		}
		if len(twin[cell]) == 0 {
			t.Fatalf("cell %d: Next = %+v, want nothing", cell, got)
		}
		want := twin[cell][0]
		twin[cell] = twin[cell][1:]
		want.Last = len(twin[cell]) == 0 || twin[cell][0].Time > want.Time
		if got != want {
			t.Fatalf("cell %d: Next = %+v, want %+v", cell, got, want)
		}
		each(got.Time)
	}
	if len(twin[cell]) > 0 && twin[cell][0].Time < end {
		t.Fatalf("cell %d: nothing is left before %d, want %+v", cell, end, twin[cell][0])
	}
}

func earliest(twin [][]Event) units.Time {
	t := units.Forever
	for _, events := range twin {
		t = min(t, first(events))
	}
	return t
}

// TestACellMayNotReachAnotherWithinASlot pushes an event into a slot that has
// begun.
func TestACellMayNotReachAnotherWithinASlot(t *testing.T) {
	q := NewCells(2, 10, 4)
	q.Push(1, 5, 0, 1)
	q.Seek(0)
	q.Open()
	defer func() {
		if recover() == nil {
			t.Error("cell 0 took an event in the slot that cell 1 is in")
		}
	}()
	q.Push(0, 900, 0, 1)
}
