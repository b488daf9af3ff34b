package serving

import (
	"testing"

	"weft/units"
)

// listed is a world without a network that lists the shipments.
type listed struct {
	alone
	shipments []Shipment
}

// Ship implements World.
func (w *listed) Ship(s Shipment) {
	w.shipments = append(w.shipments, s)
	w.alone.Ship(s)
}

// shipments are those of a job.
func shipments(j *Job, requests []Request) ([]Shipment, []Record) {
	w := &listed{alone: *newAlone(j, 0)}
	s := NewScheduler(j, w, requests)
	s.Begin()
	for len(w.due) > 0 {
		e := w.due.Pop()
		w.now = e.at
		if e.shipment {
			s.Delivered(int(e.tag))
		} else {
			s.Timer(e.tag)
		}
	}
	return w.shipments, s.Records()
}

// All tokens of a prompt go to decode once, those that prefill had before it began, too.
func TestAllTokensOfAPromptAreShippedOnce(t *testing.T) {
	for seed := range uint64(200) {
		j, requests := drawn(seed)
		got := make([]int, len(requests))
		list, _ := shipments(j, requests)
		for _, s := range list {
			got[s.Request] += s.Tokens
		}
		for i, q := range requests {
			want := q.Prompt
			if q.Output < 2 || !j.apart() {
				want = 0
			}
			if got[i] != want {
				t.Fatalf("seed %d: %d tokens of request %d are shipped, want %d of %+v", seed, got[i], i, want, q)
			}
		}
	}
}

// places is a job with k decode instances, whose prompts take no time to speak of.
func places(k int) *Job {
	j := queue(1)
	j.Prefill.Requests = 100
	j.Decode = Pool{Instances: k, Groups: 1, Stages: 1, Tokens: 100, Requests: 10, Room: 1000, Time: each(units.Millisecond)}
	return j
}

func TestARequestGoesToTheEmptiestPlaceOfDecode(t *testing.T) {
	list, _ := shipments(places(3), []Request{{Prompt: 400, Output: 100}, {Prompt: 300, Output: 100}, {Prompt: 100, Output: 100}, {Prompt: 10, Output: 100}})
	for i, want := range []int{0, 1, 2, 2} {
		if got := list[i].To.Instance; got != want {
			t.Errorf("request %d goes to instance %d, want %d", i, got, want)
		}
	}
}

// A large request waits for room; a small one that comes later, and would fit, does not pass it.
func TestRequestsWaitForRoomInOrder(t *testing.T) {
	_, r := shipments(places(1), []Request{{Prompt: 700, Output: 50}, {Arrival: units.Millisecond, Prompt: 800, Output: 50}, {Arrival: 2 * units.Millisecond, Prompt: 10, Output: 50}})
	if r[1].First <= r[0].Done || r[2].First < r[1].First {
		t.Errorf("the large one is told at %v after %v, the small one at %v", r[1].First, r[0].Done, r[2].First)
	}
}

// Of two groups each takes one of two prompts, though the first has room for both.
func TestGroupsShareAnIteration(t *testing.T) {
	j := queue(1)
	j.Prefill.Groups, j.Prefill.Requests, j.Prefill.Tokens = 2, 10, 1000
	first := 0
	inner := j.Prefill.Time
	j.Prefill.Time = func(groups []Work) units.Time {
		if first == 0 {
			first = len(groups[0].Chunks)*10 + len(groups[1].Chunks)
		}
		return inner(groups) + 1
	}
	shipments(j, []Request{{Prompt: 100, Output: 1}, {Prompt: 100, Output: 1}})
	if first != 11 {
		t.Errorf("the groups compute %d and %d prompts, want one each", first/10, first%10)
	}
}
