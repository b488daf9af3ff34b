package serving

import (
	"fmt"
	"math"
	"testing"

	"weft/units"
)

// queue is prefill alone as a queue: one request at a time on each of k instances, a nanosecond for each token of
// a prompt.
func queue(k int) *Job {
	unlimited := Pool{Instances: k, Groups: 1, Stages: 1, Tokens: 1 << 40, Requests: 1, Room: 1 << 50}
	j := &Job{Prefill: unlimited, Decode: unlimited, Layers: 1}
	j.Prefill.Time = func(groups []Work) units.Time { return units.Time(groups[0].Tokens()) * units.Nanosecond }
	return j
}

// each is the time of an iteration of decode that does not depend on its work.
func each(t units.Time) func([]Work) units.Time { return func([]Work) units.Time { return t } }

// mean is the mean length of a prompt, which takes a millisecond.
const mean = 1_000_000

// waits is the mean wait before prefill of a number of requests, in units of the mean service.
func waits(k, n int, load float64, exponential bool) float64 {
	l := Load{Rate: load * float64(k) * 1000, Requests: n, Prompt: mean, Output: 1, Exponential: exponential, Seed: 1}
	requests := l.Draw()
	for i := range requests {
		requests[i].Output = 1
	}
	return wait(queue(k), requests)
}

func wait(j *Job, requests []Request) float64 {
	s := Alone(j, requests, 0, nil)
	sum := 0.0
	for i, r := range s.Records() {
		sum += float64(r.Begun - requests[i].Arrival)
	}
	return sum / float64(len(requests)) / float64(units.Millisecond)
}

// erlangC is the probability that a request waits in M/M/k.
func erlangC(k int, load float64) float64 {
	offered := load * float64(k)
	term, sum := 1.0, 1.0
	for i := 1; i < k; i++ {
		term *= offered / float64(i)
		sum += term
	}
	term *= offered / float64(k) / (1 - load)
	return term / (sum + term)
}

// Pollaczek and Khinchine: ρ (1 + c²) / 2 / (1 - ρ) services; Erlang's C for k servers.
func TestThePrefillLineIsAQueue(t *testing.T) {
	const n = 2_000_000
	for _, load := range []float64{0.3, 0.6, 0.8} {
		for _, x := range []struct {
			name        string
			k           int
			exponential bool
			want        float64
		}{
			{"M/D/1", 1, false, load / 2 / (1 - load)},
			{"M/M/1", 1, true, load / (1 - load)},
			{"M/M/4", 4, true, erlangC(4, load) / 4 / (1 - load)},
		} {
			t.Run(fmt.Sprintf("%s at %.1f", x.name, load), func(t *testing.T) {
				t.Parallel()
				if got := waits(x.k, n, load, x.exponential); math.Abs(got/x.want-1) > 0.02 {
					t.Errorf("the mean wait is %.4f services, want %.4f within 2 %%", got, x.want)
				}
			})
		}
	}
}

// M/G/1: one prompt of ten is ten times as long as the others.
func TestLongPromptsMakeOthersWait(t *testing.T) {
	l := Load{Rate: 500, Requests: 2_000_000, Prompt: 1, Output: 1, Seed: 2}
	requests := l.Draw()
	const short, long = 400_000, 4_000_000
	first, second := 0.0, 0.0
	for i := range requests {
		requests[i].Prompt = short
		if requests[i].Arrival/7919%10 == 0 { // no matter which, but for the queue
			requests[i].Prompt = long
		}
		x := float64(requests[i].Prompt) * 1e-9
		first, second = first+x, second+x*x
	}
	n := float64(len(requests))
	rho := 500 * first / n
	want := 500 * second / n / 2 / (1 - rho) * 1000
	if got := wait(queue(1), requests); math.Abs(got/want-1) > 0.02 {
		t.Errorf("the mean wait is %.4f ms, want %.4f", got, want)
	}
}

// Decode: each iteration gives every request a token, so an answer of n tokens takes n-1 iterations.
func TestAnAnswerTakesAnIterationForEachTokenAfterTheFirst(t *testing.T) {
	j := queue(1)
	j.Layers = 4
	j.Decode.Time = func(groups []Work) units.Time { return units.Millisecond + units.Time(groups[0].Requests) }
	j.Decode.Requests = 8
	s := Alone(j, []Request{{Prompt: mean, Output: 5}}, 10*units.Microsecond, nil)
	r := s.Records()[0]
	want := Record{Read: 1, Begun: 1, Computed: 1 + units.Millisecond, First: 1 + units.Millisecond + 40*units.Microsecond}
	want.Sent = want.Computed
	want.Done = want.First + 4*(units.Millisecond+1)
	if r != want {
		t.Errorf("%+v, want %+v", r, want)
	}
}

// Layers that leave when they are computed have arrived a layer's time after the prompt.
func TestEarlyLayersHideTheirTransfer(t *testing.T) {
	j := queue(1)
	j.Layers, j.Early = 4, true
	j.Decode.Time = each(units.Millisecond)
	s := Alone(j, []Request{{Prompt: mean, Output: 2}}, 10*units.Microsecond, nil)
	r := s.Records()[0]
	if got := r.First - r.Computed; got != 10*units.Microsecond {
		t.Errorf("the first token comes %v after the prompt, want the 10 us of the last layer", got)
	}
}

// A prompt longer than an iteration takes several, and another prompt has the rest of the last one.
func TestALongPromptIsChunked(t *testing.T) {
	j := queue(1)
	j.Prefill.Tokens, j.Prefill.Requests = 1000, 8
	var seen []string
	inner := j.Prefill.Time
	j.Prefill.Time = func(groups []Work) units.Time {
		seen = append(seen, fmt.Sprint(groups[0].Chunks))
		return inner(groups)
	}
	Alone(j, []Request{{Prompt: 2500, Output: 1, Cached: 100}, {Prompt: 700, Output: 1}}, 0, nil)
	want := []string{"[{100 1000}]", "[{1100 1000}]", "[{2100 400} {0 600}]", "[{600 100}]"}
	if fmt.Sprint(seen) != fmt.Sprint(want) {
		t.Errorf("iterations %v, want %v", seen, want)
	}
}

// Room in decode for the prompt of one request of two: the second begins when the first has its answer.
func TestWithoutRoomARequestWaits(t *testing.T) {
	j := queue(1)
	j.Decode.Time = each(units.Millisecond)
	j.Decode.Room, j.Decode.Requests = 150, 8
	s := Alone(j, []Request{{Prompt: 100, Output: 11}, {Prompt: 100, Output: 11}}, 0, nil)
	a, b := s.Records()[0], s.Records()[1]
	if b.First <= a.Done || b.First > a.Done+2 {
		t.Errorf("the second request gets its place at %v, want when the first ends, at %v", b.First, a.Done)
	}
}

// Two stages of a pipeline begin an iteration each half of an iteration's time.
func TestAPipelineBeginsAnIterationForEachStage(t *testing.T) {
	j := queue(1)
	j.Prefill.Stages, j.Prefill.Requests, j.Prefill.Tokens = 2, 8, mean
	s := Alone(j, []Request{{Prompt: mean, Output: 1}, {Prompt: mean, Output: 1}}, 0, nil)
	if a, b := s.Records()[0], s.Records()[1]; b.Computed-a.Computed != units.Millisecond/2 {
		t.Errorf("the second prompt is computed %v after the first, want half a millisecond", b.Computed-a.Computed)
	}
}

// Two groups with requests of their own: two prompts at a time.
func TestGroupsHaveRequestsOfTheirOwn(t *testing.T) {
	j := queue(1)
	j.Prefill.Groups, j.Prefill.Tokens = 2, mean
	most := 0
	j.Prefill.Time = func(groups []Work) units.Time {
		most = max(most, len(groups[0].Chunks)+len(groups[1].Chunks))
		return units.Millisecond
	}
	Alone(j, []Request{{Prompt: mean, Output: 1}, {Prompt: mean, Output: 1}, {Prompt: mean, Output: 1}}, 0, nil)
	if most != 2 {
		t.Errorf("%d prompts in an iteration, want one for each of two groups", most)
	}
}
