package serving

import (
	"math"
	"testing"

	"weft/units"
)

// served runs requests that arrive at once on an instance whose iterations take a millisecond, and have room for a token of
// each with those that are guessed.
func served(t *testing.T, j Job, requests, output int) *Scheduler {
	t.Helper()
	p := &j.Prefill
	p.Instances, p.Groups, p.Stages, p.Tokens, p.Requests, p.Room = 1, 1, 1, requests*(1+p.Drafts), requests, 1<<40
	p.Time = func(groups []Work) units.Time {
		if w := &groups[0]; w.Drafts != w.Requests*p.Drafts {
			t.Errorf("%d answers have %d guessed tokens in an iteration, want %d for each", w.Requests, w.Drafts, p.Drafts)
		}
		return units.Millisecond
	}
	j.Layers = 1
	list := make([]Request, requests)
	for i := range list {
		list[i] = Request{Arrival: 1, Prompt: 1, Output: output}
	}
	return Alone(&j, list, 0, nil)
}

// An answer of which three of five guessed tokens hold gets 1.6 tokens in an iteration, and never more than it has.
func TestGuessedTokensThatHoldAreKept(t *testing.T) {
	for _, x := range []struct {
		draft       int
		holds, of   int64
		output, got int // iterations after the first token
	}{{0, 0, 1, 161, 160}, {1, 3, 5, 161, 100}, {1, 1, 1, 161, 80}, {2, 1, 2, 161, 80}, {3, 1, 1, 3, 1}} {
		s := served(t, Job{Prefill: Pool{Drafts: x.draft, Holds: x.holds, HoldsOf: x.of}}, 3, x.output)
		for i, r := range s.Records() {
			steps := float64(r.Done-r.First) / float64(units.Millisecond)
			if math.Abs(steps-float64(x.got)) > 1 {
				t.Errorf("%d guessed, %d of %d hold: request %d takes %.0f iterations after its first token, want %d", x.draft, x.holds, x.of, i, steps, x.got)
			}
		}
	}
}

// A thousand tokens that are ready at once leave the front end one after the other; a client of a closed loop sends its next
// request when it has the last of its answer.
func TestAFrontEndPassesOnOneTokenAfterTheOther(t *testing.T) {
	const each = 50 * units.Microsecond
	burst := served(t, Job{HostToken: each}, 100, 10) // ten iterations of 100 tokens: the front end has 5 ms of each
	if got, want := burst.End(), units.Millisecond+1000*each; got < want || got > want+units.Microsecond {
		t.Errorf("the last of 1,000 tokens of %v each is there at %v, want %v", each, got, want)
	}
	if first, last := burst.Records()[0].First, burst.Records()[99].First; last-first != 99*each {
		t.Errorf("first tokens that are ready at once leave within %v, want %v", last-first, 99*each)
	}
	loop := served(t, Job{HostToken: each, Clients: 1}, 3, 10)
	for i, r := range loop.Records()[1:] {
		if arrived, done := loop.Requests()[i+1].Arrival, loop.Records()[i].Done; arrived < done || arrived > done+2*turn || r.Done < arrived {
			t.Errorf("request %d is sent at %v, the answer before it is there at %v", i+1, arrived, done)
		}
	}
}
