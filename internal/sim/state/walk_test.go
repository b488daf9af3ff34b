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
	w := Compare(1500, record, nil)
	w.Visit(later)
	if !w.Equal() {
		t.Fatalf("states differ in %s: want them equal but for time, counters and numbers", w.Where())
	}
	Move(w, 3, 1500).Visit(later)
	want := sample(3000, 5)
	if later.PSN != want.PSN || later.MSN != want.MSN {
		t.Errorf("after three more periods the numbers are %v and %d, want %v and %d", later.PSN, later.MSN, want.PSN, want.MSN)
	}
	got := []any{later.Next, later.Busy, later.Ticks, later.Queue[1].At, later.Other.Next, later.Span, later.Least}
	for i, v := range []any{want.Next, want.Busy, want.Ticks, want.Queue[1].At, units.Forever, units.Time(100), units.Time(12345 + 1500)} {
		if got[i] != v {
			t.Errorf("after three more periods, value %d is %v, want %v", i, got[i], v)
		}
	}
	again := Compare(3000, record, nil)
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
		w := Compare(1500, record, nil)
		w.Visit(c)
		if !w.Equal() {
			t.Fatalf("before the change of %s: differs in %s", name, w.Where())
		}
		change(c)
		w = Compare(1500, record, nil)
		w.Visit(c)
		if w.Equal() {
			t.Errorf("a change of %s was not seen", name)
		} else if w.Where() == "" {
			t.Errorf("a change of %s: no field is named", name)
		}
	}
}

// pending is a state with an event that may come from outside, and with a time that its user changes.
type pending struct{ inside, outside, used units.Time }

func (p *pending) WalkState(w *Walk) {
	w.Due(&p.inside)
	w.Due(&p.outside)
	w.Past(&p.used)
}

// TestAnEventFromOutsideEndsThePeriods compares two states before an event that does not move.
func TestAnEventFromOutsideEndsThePeriods(t *testing.T) {
	for _, c := range []struct {
		first, later pending // 500 after it
		periods      uint64
		moved        pending // by these periods
	}{
		{pending{1007, 3508, 900}, pending{1507, 3508, 900}, 4, pending{3507, 3508, 900}},
		{pending{1007, 3507, 900}, pending{1507, 3507, 900}, 3, pending{3007, 3507, 900}}, // not at the same time
		{pending{1007, 3508, 900}, pending{1507, 3508, 1400}, 4, pending{3507, 3508, 3400}},
		{pending{1007, 3508, 900}, pending{1507, 4008, 900}, 1 << 40, pending{}}, // both have moved: no end
	} {
		record := Record(1000, nil)
		record.Visit(&c.first)
		later := c.later
		w := Compare(1500, record, nil)
		w.Visit(&later)
		if !w.Equal() {
			t.Errorf("%v differs from the state of before in %s", c.later, w.Where())
			continue
		}
		got := min(w.Periods(500), 1<<40)
		if got != c.periods {
			t.Errorf("%v: %d periods until the event from outside, want %d", c.later, got, c.periods)
		}
		Move(w, got, units.Time(got)*500).Visit(&later)
		if later != c.moved && c.moved.inside > 0 {
			t.Errorf("%v has moved on to %v, want %v", c.later, later, c.moved)
		}
	}
}

// sending is a queue pair with a message in progress.
type sending struct {
	next, first units.PSN
	gone        uint32
}

func (s *sending) WalkState(w *Walk) {
	w.Group = 7
	w.Visit(&s.next)
	if by, stays := w.Posted((*uint32)(&s.first)); stays {
		w.AtMost(uint64(100-s.next.Sub(s.first)) / by)
	}
	w.Bytes(8, &s.gone)
}

// Numbers of two groups that belong together move by the same distance, in whichever order they are visited.
func TestGroupsThatMoveTogether(t *testing.T) {
	visit := func(w *Walk, first, second, third uint64) bool {
		w.Number(2, second, 24)
		w.Number(1, first, 24)
		w.Together(1, 2)
		w.Together(1, 3)
		w.Number(3, third, 24)
		return w.Equal()
	}
	record := Record(0, nil)
	visit(record, 10, 20, 30)
	for _, c := range []struct {
		first, second, third uint64
		equal                bool
	}{{10, 20, 30, true}, {14, 24, 34, true}, {14, 23, 34, false}, {14, 24, 33, false}, {14, 20, 34, false}} {
		if got := visit(Compare(9, record, nil), c.first, c.second, c.third); got != c.equal {
			t.Errorf("numbers 10, 20 and 30 of groups that move together are later %d, %d and %d: equal is %v", c.first, c.second, c.third, got)
		}
	}
}

// TestAMessageIsAnotherOneOrTheSame compares two states between which packets of a message of 100 were sent.
func TestAMessageIsAnotherOneOrTheSame(t *testing.T) {
	for _, c := range []struct {
		first, later sending
		equal        bool
		periods      uint64
		moved        sending // by these periods, at most 9
	}{
		{sending{10, 2, 800}, sending{15, 2, 1300}, true, 17, sending{60, 2, 5800}},            // the same
		{sending{10, 2, 800}, sending{110, 102, 800}, true, 1 << 40, sending{1010, 1002, 800}}, // another
		{sending{10, 2, 0}, sending{15, 2, 0}, true, 17, sending{60, 2, 0}},                    // no payload
		{sending{10, 2, 800}, sending{15, 3, 1300}, false, 0, sending{}},
		{sending{10, 2, 800}, sending{10, 3, 800}, false, 0, sending{}},
	} {
		record := Record(1000, nil)
		record.Visit(&c.first)
		later := c.later
		w := Compare(1500, record, nil)
		w.Visit(&later)
		if w.Equal() != c.equal {
			t.Errorf("%v and then %v: equal %v, want %v", c.first, c.later, w.Equal(), c.equal)
		}
		if !c.equal {
			continue
		}
		if got := min(w.Periods(500), 1<<40); got != c.periods {
			t.Errorf("%v and then %v: %d periods, want %d", c.first, c.later, got, c.periods)
		}
		Move(w, 9, 4500).Visit(&later)
		if later != c.moved {
			t.Errorf("%v has moved on to %v, want %v", c.later, later, c.moved)
		}
	}
}

// TestATimeThatSomebodyHasUsedIsNotOfBefore compares states in which a time has changed, but not by a period.
func TestATimeThatSomebodyHasUsedIsNotOfBefore(t *testing.T) {
	for _, later := range []pending{{1507, 3508, 901}, {1508, 3508, 900}, {1507, 3509, 900}} {
		record := Record(1000, nil)
		record.Visit(&pending{1007, 3508, 900})
		w := Compare(1500, record, nil)
		w.Visit(&later)
		if w.Equal() {
			t.Errorf("%v is equal to a state that it is not a period after", later)
		}
	}
	record := Record(1000, nil) // a time in the future may be used without a change
	record.Visit(&pending{1007, 3508, 1400})
	w := Compare(1500, record, nil)
	if w.Visit(&pending{1507, 3508, 1400}); w.Equal() {
		t.Error("a time that had not passed is equal to itself")
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
		w := Compare(0, record, nil)
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
