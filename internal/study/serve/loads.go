package serve

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"weft/internal/base/sorting"
	"weft/internal/sim/workload/llm"
	"weft/internal/sim/workload/serving"
	"weft/results"
)

// loads are the shares of prefill's and decode's time that the requests need at a rate, and of the front ends' if it is the
// fullest; the fullest first. Above 1 lines grow without end.
func (s *study) loads(rate float64, j *serving.Job) []results.ServingLoad {
	out := []results.ServingLoad{{Resource: "prefill's time"}, {Resource: "decode's time"}}
	if j.Decode.Instances == 0 {
		out = []results.ServingLoad{{Resource: "the instances' time", Share: rate * s.mixedSeconds(j)}}
	} else {
		out[0].Share, out[1].Share = rate*s.prefillSeconds(j)/float64(j.Prefill.Instances), rate*s.decodeSeconds(j)
	}
	front := results.ServingLoad{Resource: "the front ends' time", Share: rate * j.Host.Seconds() / float64(j.Prefill.Instances*j.Prefill.Groups)}
	if !slices.ContainsFunc(out, func(l results.ServingLoad) bool { return l.Share >= front.Share }) { // else it decides nothing
		out = append(out, front)
	}
	sorting.StableFunc(out, func(a, b results.ServingLoad) int { return cmp.Compare(b.Share, a.Share) })
	return out
}

// prefillSeconds is the time that a request takes of an instance's first stage, if iterations are full.
func (s *study) prefillSeconds(j *serving.Job) float64 {
	sum := 0.0
	groups, left := make([]serving.Work, j.Prefill.Groups), make([]int, j.Prefill.Groups)
	flush := func() {
		sum += j.Prefill.Time(groups).Seconds() / float64(j.Prefill.Stages)
		for g := range groups {
			groups[g], left[g] = serving.Work{}, j.Prefill.Tokens
		}
	}
	for g := range left {
		left[g] = j.Prefill.Tokens
	}
	g := 0
	for _, q := range s.requests {
		for past := q.Cached; past < q.Prompt; {
			for left[g] == 0 || len(groups[g].Chunks) >= j.Prefill.Requests {
				if g++; g == len(groups) {
					flush()
					g = 0
				}
			}
			n := min(left[g], q.Prompt-past)
			groups[g].Chunks = append(groups[g].Chunks, llm.Chunk{Past: past, Tokens: n})
			left[g] -= n
			past += n
		}
	}
	flush()
	return sum / float64(len(s.requests))
}

// answers are means over the tokens of answers after the first token.
type answers struct {
	tokens  float64 // of answers, over all requests
	context float64 // tokens before each of them
	held    float64 // tokens that a request holds over its time
}

func (s *study) answers(reserve bool) (a answers) {
	steps, held := 0.0, 0.0
	for _, q := range s.requests {
		n := float64(q.Output - 1)
		mean := float64(q.Prompt) + float64(q.Output)/2
		steps += n
		a.context += n * mean
		if reserve {
			mean = float64(q.Prompt + q.Output)
		}
		held += n * mean
	}
	if steps > 0 {
		a.tokens, a.context, a.held = steps/float64(len(s.requests)), a.context/steps, held/steps
	}
	return a
}

// most is the number of answers that a full group of a pool works on.
func (a *answers) most(p *serving.Pool) float64 {
	return math.Max(1, math.Min(float64(p.Requests), math.Floor(float64(p.Room)/a.held)))
}

// decodeSeconds is the time that a request takes of the whole pool, if its groups are full. With several
// stages each stage works on a part of the answers.
func (s *study) decodeSeconds(j *serving.Job) float64 {
	p := &j.Decode
	a := s.answers(p.Reserve)
	if a.tokens == 0 {
		return 0
	}
	full := a.most(p)
	part := math.Ceil(full / float64(p.Stages))
	takes := p.Time([]serving.Work{p.Answers(int(part), int64(part*a.context))}).Seconds()
	return a.tokens / p.PerStep() * takes / part / float64(p.Stages*p.Groups*p.Instances)
}

// mixedSeconds is the time that a request takes of all instances, if their iterations are full. A full
// iteration has prompts and answers in the proportion of the requests, as many as its tokens allow, or
// as its answers have room for.
func (s *study) mixedSeconds(j *serving.Job) float64 {
	p := &j.Prefill
	a, prompt, past := s.answers(p.Reserve), 0.0, 0.0
	for _, q := range s.requests {
		prompt += float64(q.Prompt-q.Cached) / float64(len(s.requests))
		past += float64(q.Prompt+q.Cached) / 2 / float64(len(s.requests))
	}
	steps := a.tokens / p.PerStep()
	finished := float64(p.Tokens) / (prompt + steps*float64(1+p.Drafts)) // requests of a full iteration
	if steps > 0 {
		finished = math.Min(finished, math.Ceil(a.most(p)/float64(p.Stages))/steps)
	}
	w := p.Answers(int(math.Ceil(finished*steps)), int64(finished*steps*a.context))
	if n := int(finished * prompt); n > 0 {
		w.Chunks = []llm.Chunk{{Past: max(0, int(past)-n/2), Tokens: n}}
	}
	return p.Time([]serving.Work{w}).Seconds() / finished / float64(p.Stages*p.Groups*p.Instances)
}

// loadsOn is the share of the NICs' rate that keys and values need on a fabric, at a rate of requests; of the
// pool whose NICs are fuller.
func (s *study) loadsOn(rate float64, fabric int) results.ServingLoad {
	w, v := s.way, &s.r.Serving
	if v.Collocated {
		return results.ServingLoad{}
	}
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
	f := s.plans[fabric].Fabric
	out := results.ServingLoad{}
	for _, x := range []struct {
		name  string
		nodes int
	}{{"prefill", v.Prefill.Nodes}, {"decode", v.Decode.Nodes}} {
		if share := rate * bytes / (float64(x.nodes) * w.nodeRate(f)); share > out.Share {
			out = results.ServingLoad{Resource: fmt.Sprintf("the rate of %s's NICs for keys and values", x.name), Share: share}
		}
	}
	return out
}
