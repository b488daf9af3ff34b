package state

import (
	"strings"
	"testing"

	"weft/units"
)

// clock is a state with a field of each kind.
type clock struct {
	Name  string
	Next  units.Time
	Span  units.Time `state:"fixed"`
	Busy  units.Time `state:"until"`
	Least units.Time `state:"bound"`
	Ticks int64      `state:"count"`
	Rate  [2]uint16
	PSN   units.PSN
	MSN   uint32 `state:"number"`
	Cache []int  `state:"-"`
	Queue []item
	Other *clock
	ring
}

type item struct{ At units.Time }

// ring visits itself.
type ring struct{ n, head int }

func (r *ring) WalkState(w *Walk) { w.Word(uint64(r.n - r.head)) }

// sample is a state at a time, after a number of ticks.
func sample(now units.Time, ticks int) *clock {
	c := &clock{
		Name: "a", Next: now + 7, Span: 100, Busy: now - 3, Least: 12345, Ticks: int64(10 * ticks), Rate: [2]uint16{1, 2},
		PSN: units.PSN(0xfffffe).Add(int32(3 * ticks)), MSN: uint32(ticks), Cache: make([]int, ticks), Queue: []item{{now + 1}, {now + 2}},
		ring: ring{5 + ticks, 2 + ticks},
	}
	c.Other = &clock{Next: units.Forever, PSN: units.PSN(3 * ticks), MSN: uint32(ticks)}
	c.Other.Other = c.Other
	return c
}

// TestEqualStates compares states that differ in time, counters and numbers only, and moves the later one on.
func TestEqualStates(t *testing.T) {
	record := Record(1000, nil)
	record.Visit(sample(1000, 1))
	later := sample(1500, 2)
	w := Compare(1500, record)
	w.Visit(later)
	if !w.Equal() {
		t.Fatalf("states differ in %s: want them equal but for time, counters and numbers", w.Where())
	}
	Move(w, 3, 1500).Visit(later)
	want := sample(3000, 5)
	got := []any{later.Next, later.Busy, later.Ticks, later.Queue[1].At, later.Other.Next, later.Span, later.Least}
	for i, v := range []any{want.Next, want.Busy, want.Ticks, want.Queue[1].At, units.Forever, units.Time(100), units.Time(12345 + 1500)} {
		if got[i] != v {
			t.Errorf("after three more periods, value %d is %v, want %v", i, got[i], v)
		}
	}
	again := Compare(3000, record)
	again.Visit(later)
	if !again.Equal() {
		t.Errorf("after the move the state differs in %s", again.Where())
	}
}

// TestDifferentStates changes one field after the other.
func TestDifferentStates(t *testing.T) {
	for name, change := range map[string]func(*clock){
		"Name":  func(c *clock) { c.Name = "b" },
		"Next":  func(c *clock) { c.Next++ },
		"Span":  func(c *clock) { c.Span++ },
		"Busy":  func(c *clock) { c.Busy += 10 },
		"Rate":  func(c *clock) { c.Rate[1]++ },
		"PSN":   func(c *clock) { c.Other.PSN++ }, // those of one group move together
		"MSN":   func(c *clock) { c.Other.MSN++ },
		"Queue": func(c *clock) { c.Queue = c.Queue[:1] },
		"At":    func(c *clock) { c.Queue[1].At++ },
		"Other": func(c *clock) { c.Other.Other = sample(1500, 2) },
		"ring":  func(c *clock) { c.head++ },
	} {
		record := Record(1000, nil)
		record.Visit(sample(1000, 1))
		c := sample(1500, 2)
		w := Compare(1500, record)
		w.Visit(c)
		if !w.Equal() {
			t.Fatalf("before the change of %s: differs in %s", name, w.Where())
		}
		change(c)
		w = Compare(1500, record)
		w.Visit(c)
		if w.Equal() {
			t.Errorf("a change of %s was not seen", name)
		} else if w.Where() == "" {
			t.Errorf("a change of %s: no field is named", name)
		}
	}
}

// TestRefusedStates are equal to nothing.
func TestRefusedStates(t *testing.T) {
	for _, first := range []bool{true, false} {
		record := Record(0, nil)
		if first {
			record.Refuse("a queue")
		}
		record.Word(1)
		w := Compare(0, record)
		if !first {
			w.Refuse("a queue")
		}
		w.Word(1)
		if w.Equal() {
			t.Errorf("a state that cannot be visited (first: %v) is equal to another", first)
		}
	}
}

// TestFieldsWithoutAPlan are kinds that need a tag.
func TestFieldsWithoutAPlan(t *testing.T) {
	defer func() {
		if text, _ := recover().(string); !strings.Contains(text, "Done") || !strings.Contains(text, "tag") {
			t.Errorf("panic %q: want the name of the field, and that it needs a tag", text)
		}
	}()
	Record(0, nil).Visit(&struct{ Done func() }{})
}
