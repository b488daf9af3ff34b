package serving

import (
	"math/rand/v2"
	"testing"

	"weft/internal/sim/workload/llm"
	"weft/units"
)

// drawn is a job with little room, few places and small iterations, and its requests.
func drawn(seed uint64) (*Job, []Request) {
	r := rand.New(rand.NewPCG(seed, 1))
	pool := func() Pool {
		return Pool{
			Instances: 1 + r.IntN(3), Groups: 1 + r.IntN(3), Stages: 1, Tokens: 1 + r.IntN(300), Requests: 1 + r.IntN(4), Room: 200 + r.Int64N(400),
		}
	}
	j := &Job{
		Prefill: pool(), Decode: pool(), Layers: 1 + r.IntN(8), Early: r.IntN(2) == 0,
		PrefillTime: func(groups [][]llm.Chunk) units.Time {
			n := 0
			for _, chunks := range groups {
				for _, c := range chunks {
					n += c.Tokens
				}
			}
			return units.Time(1+n) * units.Microsecond
		},
		DecodeTime: func(requests int, context int64) units.Time {
			return units.Time(requests)*units.Microsecond + units.Time(context)
		},
	}
	j.Prefill.Stages = 1 + r.IntN(min(3, j.Layers))
	l := Load{Rate: 1000 * (1 + r.Float64()*20), Requests: 60, Prompt: 60, Output: 8, Exponential: true, Hits: r.Float64() * 0.9, Seed: seed}
	requests := l.Draw()
	for i := range requests {
		q := &requests[i]
		q.Prompt, q.Output = min(q.Prompt, 150), min(q.Output, 50)
		q.Cached = min(q.Cached, q.Prompt-1)
	}
	return j, requests
}

// Whatever the pools, every request ends, in the order of its own times; its prompt is computed once; nothing of the
// memory is held at the end.
func TestEveryRequestOfARandomJobEnds(t *testing.T) {
	for seed := range uint64(400) {
		j, requests := drawn(seed)
		computed, wanted := 0, 0
		inner := j.PrefillTime
		j.PrefillTime = func(groups [][]llm.Chunk) units.Time {
			for _, chunks := range groups {
				sum := 0
				for _, c := range chunks {
					sum += c.Tokens
				}
				if sum > j.Prefill.Tokens || len(chunks) > j.Prefill.Requests {
					t.Fatalf("seed %d: a group computes %d tokens of %d prompts, at most %d", seed, sum, len(chunks), j.Prefill.Tokens)
				}
				computed += sum
			}
			return inner(groups)
		}
		for _, q := range requests {
			wanted += q.Prompt - q.Cached
		}
		s := Alone(j, requests, units.Microsecond, nil)
		if s.Undone() != 0 || computed != wanted {
			t.Fatalf("seed %d: %d requests without an answer; %d tokens computed, want %d", seed, s.Undone(), computed, wanted)
		}
		for i, r := range s.Records() {
			q := &requests[i]
			if r.Begun < q.Arrival || r.Computed <= r.Begun || r.First < r.Computed || r.Done < r.First || q.Output > 1 && (r.Sent <= r.Begun || r.First <= r.Sent || r.Done == r.First) {
				t.Fatalf("seed %d: request %d of %+v: %+v", seed, i, q, r)
			}
		}
		for i := range s.prefill {
			for _, g := range s.prefill[i].groups {
				if g.used != 0 || len(g.running) != 0 {
					t.Fatalf("seed %d: prefill holds %+v at the end", seed, g)
				}
			}
		}
		for i := range s.decode {
			for _, g := range s.decode[i].groups {
				if g.used != 0 || g.count != 0 || g.context != 0 || len(g.running)+len(g.joining) != 0 {
					t.Fatalf("seed %d: decode holds %+v at the end", seed, g)
				}
			}
		}
	}
}
