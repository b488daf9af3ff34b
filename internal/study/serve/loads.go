package serve

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"weft/internal/sim/runstore"
	"weft/internal/sim/workload/llm"
	"weft/internal/sim/workload/serving"
)

// loads are the shares of prefill's and decode's time that the requests need at a rate, the fullest first.
// Above 1 lines grow without end.
func (s *study) loads(rate float64, j *serving.Job) []runstore.ServingLoad {
	out := []runstore.ServingLoad{
		{Resource: "prefill's time", Share: rate * s.prefillSeconds(j) / float64(j.Prefill.Instances)},
		{Resource: "decode's time", Share: rate * s.decodeSeconds(j)},
	}
	slices.SortStableFunc(out, func(a, b runstore.ServingLoad) int { return cmp.Compare(b.Share, a.Share) })
	return out
}

// prefillSeconds is the time of an instance's first stage for a request if iterations are full.
func (s *study) prefillSeconds(j *serving.Job) float64 {
	sum := 0.0
	groups, left := make([][]llm.Chunk, j.Prefill.Groups), make([]int, j.Prefill.Groups)
	flush := func() {
		sum += j.PrefillTime(groups).Seconds() / float64(j.Prefill.Stages)
		for g := range groups {
			groups[g], left[g] = nil, j.Prefill.Tokens
		}
	}
	for g := range left {
		left[g] = j.Prefill.Tokens
	}
	g := 0
	for _, q := range s.requests {
		for past := q.Cached; past < q.Prompt; {
			for left[g] == 0 || len(groups[g]) >= j.Prefill.Requests {
				if g++; g == len(groups) {
					flush()
					g = 0
				}
			}
			n := min(left[g], q.Prompt-past)
			groups[g] = append(groups[g], llm.Chunk{Past: past, Tokens: n})
			left[g] -= n
			past += n
		}
	}
	flush()
	return sum / float64(len(s.requests))
}

// decodeSeconds is the time of the whole pool for a request if its groups are full.
func (s *study) decodeSeconds(j *serving.Job) float64 {
	places, tokens, context := 0.0, 0.0, 0.0 // means of a request
	for _, q := range s.requests {
		if q.Output < 2 {
			continue
		}
		n := float64(len(s.requests))
		places += float64(q.Prompt+q.Output) / n
		tokens += float64(q.Output-1) / n
		context += float64(q.Output-1) * (float64(q.Prompt) + float64(q.Output)/2) / n
	}
	if tokens == 0 {
		return 0
	}
	full := math.Max(1, math.Min(float64(j.Decode.Requests), math.Floor(float64(j.Decode.Room)/places)))
	takes := j.DecodeTime(int(full), int64(full*context/tokens)).Seconds()
	return tokens * takes / full / float64(j.Decode.Groups*j.Decode.Instances)
}

// loadsOn is the share of the NICs of a pool that keys and values need on a fabric at a rate, of the fuller pool.
func (s *study) loadsOn(rate float64, fabric int) runstore.ServingLoad {
	w, v := s.way, &s.r.Serving
	bytes := 0.0
	for _, q := range s.requests {
		if q.Output > 1 {
			bytes += float64(q.Prompt) / float64(len(s.requests))
		}
	}
	heads := 0
	for _, share := range w.shares {
		heads += share.Heads
	}
	bytes *= float64(int64(heads*w.cache.Parts*w.cache.Layers) * w.cache.Numbers)
	link := float64(s.plans[fabric].Fabric.Link.Rate()) / 8
	nics := float64(s.r.Cluster.Node.NICs)
	if own := w.kv.OwnNICs; own > 0 {
		nics = float64(own * s.r.Cluster.Node.GPUs)
	}
	out := runstore.ServingLoad{}
	for _, x := range []struct {
		name  string
		nodes int
	}{{"prefill", v.Prefill.Nodes}, {"decode", v.Decode.Nodes}} {
		if share := rate * bytes / (float64(x.nodes) * nics * link); share > out.Share {
			out = runstore.ServingLoad{Resource: fmt.Sprintf("the rate of %s's NICs for keys and values", x.name), Share: share}
		}
	}
	return out
}
