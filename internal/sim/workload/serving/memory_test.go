package serving

import (
	"fmt"
	"testing"

	"weft/units"
)

// Room for 250 tokens and two prompts of 100: when the first has computed 26 tokens of its answer and the other, which came an
// iteration later, 24, the later one is evicted. It waits, as its 125 tokens find no room, and is computed again when
// the first has its answer.
func TestWithoutRoomForATokenTheLastRequestIsComputedAgain(t *testing.T) {
	j := queue(1)
	j.Prefill.Tokens, j.Prefill.Requests = 1000, 8
	var seen []string
	iterations := 0
	j.Decode = Pool{Instances: 1, Groups: 1, Stages: 1, Tokens: 1000, Requests: 8, Room: 250, Time: func(groups []Work) units.Time {
		if len(groups[0].Chunks) > 0 {
			seen = append(seen, fmt.Sprintf("%d: %+v beside %d", iterations, groups[0].Chunks, groups[0].Requests))
		}
		iterations++
		return units.Millisecond
	}}
	requests := []Request{{Prompt: 100, Output: 80}, {Prompt: 100, Output: 50}}
	s := Alone(j, requests, 0, nil)
	a, b := s.Records()[0], s.Records()[1]
	if a.Evicted != 0 || b.Evicted != 1 || a.Done != a.First+79*units.Millisecond {
		t.Errorf("the first: %+v, the second: %+v", a, b)
	}
	if want := "[79: [{Past:0 Tokens:125}] beside 0]"; fmt.Sprint(seen) != want {
		t.Errorf("computed again %v, want %s", seen, want)
	}
	// The computation gives the 26th token of 50.
	if want := a.Done + 25*units.Millisecond; b.Done < want || b.Done > want+3 {
		t.Errorf("the second is done at %v, want %v", b.Done, want)
	}
	j.Decode.Reserve = true
	iterations, seen = 0, nil
	s = Alone(j, requests, 0, nil)
	if a, b := s.Records()[0], s.Records()[1]; b.Evicted != 0 || b.First < a.Done {
		t.Errorf("with room for whole answers, the first: %+v, the second: %+v", a, b)
	}
}

// A group with an evicted request takes no new one before it goes on.
func TestAnEvictedRequestGoesOnBeforeOthersBegin(t *testing.T) {
	j := queue(1)
	j.Prefill.Tokens, j.Prefill.Requests = 1000, 8
	j.Decode = Pool{Instances: 1, Groups: 1, Stages: 1, Tokens: 1000, Requests: 8, Room: 250, Time: each(units.Millisecond)}
	s := Alone(j, []Request{{Prompt: 100, Output: 80}, {Prompt: 100, Output: 50}, {Arrival: 40 * units.Millisecond, Prompt: 10, Output: 5}}, 0, nil)
	if r := s.Records(); r[1].Evicted != 1 || r[2].First < r[0].Done {
		t.Errorf("a request that came after an eviction begins at %v, the one before is done at %v", r[2].First, r[0].Done)
	}
}

// Prompts and answers in one instance: an iteration has the next token of an answer and as much of a prompt as fits; no keys and values
// move.
func TestAPromptIsComputedBesideAnswers(t *testing.T) {
	var seen []string
	j := &Job{Layers: 1, Prefill: Pool{Instances: 1, Groups: 1, Stages: 1, Tokens: 100, Requests: 8, Room: 1000, Time: func(groups []Work) units.Time {
		seen = append(seen, fmt.Sprintf("%v+%d", groups[0].Chunks, groups[0].Requests))
		return units.Millisecond
	}}}
	list, r := shipments(j, []Request{{Prompt: 50, Output: 4}, {Arrival: units.Millisecond, Prompt: 150, Output: 2}})
	if want := fmt.Sprint([]string{"[{0 50}]+0", "[{0 99}]+1", "[{99 51}]+1", "[]+2"}); fmt.Sprint(seen) != want || len(list) != 0 {
		t.Errorf("iterations %v, want %s; %d shipments", seen, want, len(list))
	}
	if r[0].First != r[0].Computed || r[1].Done-r[1].First != units.Millisecond || r[0].Sent >= 0 {
		t.Errorf("%+v", r)
	}
}

// Two stages: two requests are in different ones, and each has its tokens as soon as it would alone. Of three, two are in one
// micro-batch.
func TestAnswersAreDividedAmongMicroBatches(t *testing.T) {
	for n, most := range []int{0, 1, 1, 2, 2} {
		j := queue(1)
		j.Prefill.Requests, j.Prefill.Tokens = 8, 1000
		got := 0
		j.Decode = Pool{Instances: 1, Groups: 1, Stages: 2, Tokens: 1000, Requests: 8, Room: 10_000, Time: func(groups []Work) units.Time {
			got = max(got, groups[0].Requests)
			return 2 * units.Millisecond
		}}
		s := Alone(j, equal(n), 0, nil)
		last := units.Time(0)
		for _, r := range s.Records() {
			last = max(last, r.Done-r.First)
		}
		if got != most || n == 2 && last > 9*2*units.Millisecond+units.Millisecond {
			t.Errorf("%d requests: %d in a micro-batch, want %d; nine tokens take %v", n, got, most, last)
		}
	}
}

// equal is a number of equal requests that come together.
func equal(n int) (out []Request) {
	for range n {
		out = append(out, Request{Prompt: 10, Output: 10})
	}
	return out
}

// A short iteration does not overtake a long one in the second stage.
func TestIterationsKeepTheirOrderInAPipeline(t *testing.T) {
	j := queue(1)
	j.Prefill.Stages, j.Prefill.Tokens, j.Prefill.Requests = 2, mean, 2
	s := Alone(j, []Request{{Prompt: mean, Output: 1}, {Prompt: 100, Output: 1}}, 0, nil)
	if a, b := s.Records()[0], s.Records()[1]; b.Computed <= a.Computed {
		t.Errorf("the short prompt is computed at %v, the long one before it at %v", b.Computed, a.Computed)
	}
}
