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

// A front end reads requests one after the other: of a burst those that wait together have their first tokens together, and two
// groups have a front end each. A request that comes alone waits for itself.
func TestAFrontEndReadsOneRequestAfterTheOther(t *testing.T) {
	const each = 10 * units.Millisecond
	read := func(groups, requests int, between units.Time) (at []units.Time) {
		j := Job{Host: each, Layers: 1}
		j.Prefill = Pool{Instances: 1, Groups: groups, Stages: 1, Tokens: 1 << 20, Requests: 1 << 20, Room: 1 << 40}
		j.Prefill.Time = func([]Work) units.Time { return units.Microsecond }
		list := make([]Request, requests)
		for i := range list {
			list[i] = Request{Arrival: 1 + units.Time(i)*between, Prompt: 1, Output: 1}
		}
		for _, r := range Alone(&j, list, 0, nil).Records() {
			at = append(at, r.Read-1)
		}
		return at
	}
	for _, x := range []struct {
		groups, requests int
		between          units.Time
		request          int
		want             units.Time
	}{
		{1, 1, 0, 0, each},
		{1, 100, 0, 0, together * each},          // of the first batch
		{1, 100, 0, together, 64 * each},         // of the second
		{1, 100, 0, 99, 100 * each},              // the last is alone with three others
		{2, 100, 0, 99, 50 * each},               // every other one
		{1, 100, 2 * each, 99, 199 * each},       // nobody waits: 198 and its own
		{1, 100, each / 2, 99, 100 * each},       // twice as many as it can read
		{4, 100, each / 2, 99, 50*each + each/2}, // enough for all
	} {
		if got := read(x.groups, x.requests, x.between)[x.request]; got != x.want {
			t.Errorf("%d groups, %d requests every %v: request %d is read at %v, want %v", x.groups, x.requests, x.between, x.request, got, x.want)
		}
	}
}
