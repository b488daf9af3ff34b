package serving

import (
	"math/rand/v2"
	"testing"

	"weft/units"
)

// drawn is a job with little room, few places and small iterations, and its requests. Of some, prompts and answers are computed
// in the same instances.
func drawn(seed uint64) (*Job, []Request) {
	r := rand.New(rand.NewPCG(seed, 1))
	j := &Job{Layers: 1 + r.IntN(8), Early: r.IntN(2) == 0}
	pool := func() Pool {
		return Pool{
			Instances: 1 + r.IntN(3), Groups: 1 + r.IntN(3), Stages: 1 + r.IntN(min(3, j.Layers)), Tokens: 1 + r.IntN(300), Requests: 1 + r.IntN(6), Room: 200 + r.Int64N(200),
			Reserve: r.IntN(3) == 0,
			Time: func(groups []Work) units.Time {
				t := units.Microsecond
				for i := range groups {
					t += units.Time(groups[i].Tokens())*units.Microsecond + units.Time(groups[i].Context)
				}
				return t
			},
		}
	}
	j.Prefill, j.Decode = pool(), pool()
	if r.IntN(4) == 0 {
		j.Decode, j.Early = Pool{}, false
	}
	j.Lanes = j.Prefill.Stages
	l := Load{Rate: 1000 * (1 + r.Float64()*20), Requests: 60, Prompt: 60, Output: 20, Exponential: true, Hits: r.Float64() * 0.9, Seed: seed}
	requests := l.Draw()
	for i := range requests {
		q := &requests[i]
		q.Prompt, q.Output = min(q.Prompt, 150), min(q.Output, 50)
		q.Cached = min(q.Cached, q.Prompt-1)
	}
	return j, requests
}

// count adds up the tokens of a pool's iterations, and checks that each is within the pool's bounds.
func count(t *testing.T, seed uint64, p *Pool, chunks, answers *int) {
	inner := p.Time
	p.Time = func(groups []Work) units.Time {
		for i := range groups {
			w := &groups[i]
			if n := w.Tokens(); n > p.Tokens || len(w.Chunks)+w.Requests > p.Requests {
				t.Fatalf("seed %d: a group computes %d tokens of %d prompts and %d answers, at most %d of %d", seed, n, len(w.Chunks), w.Requests, p.Tokens, p.Requests)
			}
			*chunks += w.Tokens() - w.Requests
			*answers += w.Requests
		}
		return inner(groups)
	}
}

// Whatever the pools, every request ends, in the order of its own times; its prompt is computed once, and once more each
// time its keys and values are given up; nothing of the memory is held at the end.
func TestEveryRequestOfARandomJobEnds(t *testing.T) {
	evicted, reserved := 0, 0
	for seed := range uint64(600) {
		j, requests := drawn(seed)
		computed, answers, wanted, tokens := 0, 0, 0, 0
		count(t, seed, &j.Prefill, &computed, &answers)
		count(t, seed, &j.Decode, &computed, &answers)
		s := Alone(j, requests, units.Microsecond, nil)
		again := 0
		for i, r := range s.Records() {
			q := &requests[i]
			wanted, tokens, again = wanted+q.Prompt-q.Cached, tokens+q.Output-1, again+r.Evicted
			moved := j.apart() && q.Output > 1
			if r.Begun < q.Arrival || r.Computed <= r.Begun || r.First < r.Computed || r.Done < r.First || q.Output > 1 && r.Done == r.First || moved && (r.Sent <= r.Begun || r.First <= r.Sent) {
				t.Fatalf("seed %d: request %d of %+v: %+v", seed, i, q, r)
			}
		}
		if s.Undone() != 0 || again == 0 && (computed != wanted || answers != tokens) || computed < wanted || computed+answers < wanted+tokens {
			t.Fatalf("seed %d: %d requests without an answer; %d and %d tokens computed, want %d and %d, with %d evictions", seed, s.Undone(), computed, answers, wanted, tokens, again)
		}
		evicted += again
		answer := &j.Decode
		if !j.apart() {
			answer = &j.Prefill
		}
		if answer.Reserve {
			reserved += again
		}
		for pool := range s.pools {
			for i := range s.pools[pool] {
				for _, g := range s.pools[pool][i].groups {
					if g.used != 0 || g.coming != 0 || len(g.running)+len(g.evicted) != 0 {
						t.Fatalf("seed %d: pool %d holds %+v at the end", seed, pool, g)
					}
				}
			}
		}
	}
	if evicted < 50 || reserved > 0 {
		t.Errorf("%d evictions, %d of them where the whole answer has room from the beginning", evicted, reserved)
	}
}
