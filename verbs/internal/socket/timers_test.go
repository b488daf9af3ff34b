package socket

import (
	"math/rand/v2"
	"testing"

	"weft/units"
)

func TestTimersGiveTheEarliestDeadlineFirst(t *testing.T) {
	dice := rand.New(rand.NewPCG(3, 4))
	var h timers
	all := make([]*Endpoint, 200)
	for i := range all {
		all[i] = &Endpoint{}
	}
	twin := map[*Endpoint]units.Time{}
	for range 20_000 {
		e := all[dice.IntN(len(all))]
		switch dice.IntN(3) {
		case 0:
			h.remove(e)
			delete(twin, e)
		default:
			at := units.Time(dice.IntN(1000))
			if old, ok := twin[e]; !ok || at < old {
				twin[e] = at
			}
			h.set(e, at)
		}
		want := units.Forever
		for _, at := range twin {
			want = min(want, at)
		}
		if got := h.next(); got != want {
			t.Fatalf("the next deadline is %v, want %v", got, want)
		}
		if len(h) != len(twin) {
			t.Fatalf("%d deadlines, want %d", len(h), len(twin))
		}
	}
}

func TestARingIsAQueue(t *testing.T) {
	dice := rand.New(rand.NewPCG(5, 6))
	var r ring
	var twin []*Endpoint
	for range 10_000 {
		if dice.IntN(2) == 0 || len(twin) == 0 {
			e := &Endpoint{}
			r.push(e)
			twin = append(twin, e)
			continue
		}
		if got := r.pop(); got != twin[0] {
			t.Fatal("another endpoint came out than the oldest")
		}
		twin = twin[1:]
	}
	if r.size != len(twin) {
		t.Errorf("%d are in the queue, want %d", r.size, len(twin))
	}
}
