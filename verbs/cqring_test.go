package verbs

import (
	"errors"
	"testing"
)

// A reader in another language takes completions from memory: no call, and no lock.
func TestCompletionsCanBeReadFromMemory(t *testing.T) {
	ring := CQRing{Entries: make([]WC, 4), CQMarks: new(CQMarks)}
	events := 0
	d := newSide(t, Options{}, QPInitAttr{}, 8).dev
	c := &CQ{dev: d, capacity: 3, notify: func() { events++ }}
	if err := c.setMemory(ring); err != nil {
		t.Fatal(err)
	}
	c.arm(armedAny)
	for id := range uint64(20) {
		if !c.push(&WC{WRID: id}, false) {
			t.Fatalf("completion %d finds no room in an empty queue", id)
		}
		taken := ring.Taken.Load()
		if added := ring.Added.Load(); added != taken+1 {
			t.Fatalf("%d completions are added and %d taken, want one more", added, taken)
		}
		if got := ring.Entries[taken%4].WRID; got != id {
			t.Errorf("completion %d lies where %d is to be", got, id)
		}
		ring.Taken.Store(taken + 1)
	}
	if events != 1 {
		t.Errorf("%d events of a queue that was armed once", events)
	}
	for range 3 {
		c.push(&WC{}, false)
	}
	if c.push(&WC{}, false) || ring.Overrun.Load() != 1 {
		t.Errorf("a queue of 3 takes a fourth completion; overrun %d, want 1", ring.Overrun.Load())
	}
}

func TestTheMemoryOfACompletionQueueMustFit(t *testing.T) {
	for name, r := range map[string]CQRing{
		"no power of two": {make([]WC, 3), new(CQMarks)},
		"too small":       {make([]WC, 2), new(CQMarks)},
		"no marks":        {make([]WC, 4), nil},
	} {
		if err := (&CQ{capacity: 3}).setMemory(r); !errors.Is(err, ErrInvalid) {
			t.Errorf("%s: error %v, want ErrInvalid", name, err)
		}
	}
}

func TestAResizedQueueKeepsItsCompletions(t *testing.T) {
	cq, err := newSide(t, Options{}, QPInitAttr{}, 8).dev.CreateCQ(4)
	if err != nil {
		t.Fatal(err)
	}
	var got [8]WC
	next := uint64(0)
	add := func(n int) {
		t.Helper()
		for range n {
			if !cq.push(&WC{WRID: next}, false) {
				t.Fatalf("completion %d finds no room", next)
			}
			next++
		}
	}
	add(3)
	if n, _ := cq.Poll(got[:2]); n != 2 {
		t.Fatalf("%d completions, want 2", n)
	}
	add(3) // 2 to 5: over the end of the ring
	if err := cq.Resize(CQInitAttr{Capacity: 3}); !errors.Is(err, ErrInvalid) {
		t.Errorf("4 completions fit a queue of 3: error %v, want ErrInvalid", err)
	}
	if err := cq.Resize(CQInitAttr{Capacity: 7}); err != nil {
		t.Fatal(err)
	}
	add(3)
	if cq.push(&WC{}, false) {
		t.Error("a queue of 7 takes an eighth completion")
	}
	n, _ := cq.Poll(got[:])
	for i, wc := range got[:n] {
		if wc.WRID != uint64(i+2) {
			t.Errorf("completion %d is %d, want %d", i, wc.WRID, i+2)
		}
	}
	if n != 7 {
		t.Errorf("%d completions, want 7", n)
	}
}
