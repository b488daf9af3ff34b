package serve

import (
	"weft/internal/sim/workload/llm"
	"weft/internal/sim/workload/serving"
	"weft/scenario"
	"weft/units"
)

// phase is a part of a layer whose tokens are divided into two halves: the exchange of one half, what is computed beside
// it, and what is computed after both are over.
type phase struct {
	what         scenario.Exchange
	beside, then units.Time
}

// takes is the time of a phase whose exchange takes a time.
func (p *phase) takes(exchange units.Time) units.Time { return max(p.beside, exchange) + p.then }

// An iteration whose groups have no more tokens than these is not divided: both halves would read all weights, and exchanges
// of few tokens take hardly less time than those of twice as many. The numbers are vLLM's (vllm/config/parallel.py,
// dbo_decode_token_threshold and dbo_prefill_token_threshold).
const (
	undividedAnswers = 32
	undividedPrompts = 512
)

// divided reports whether an iteration is divided into halves.
func (p *pace) divided(k *serving.Iteration) bool {
	most := undividedPrompts
	if k.Answers() {
		most = undividedAnswers
	}
	return p.overlap && p.experts != nil && k.Tokens() > most
}

// phases is the parts of a layer of an iteration in two halves. The order is that of DeepSeek's engine
// (deepseek-ai/profile-data, README and assets/prefill.jpg and decode.jpg): with prompts each of four exchanges is beside a
// computation of the other half; with answers alone experts are computed between a half's dispatch and its combine, beside
// nothing, and the kernels that send and receive have all multiprocessors for their own time. Layers without experts, and
// the embeddings, are divided among the layers.
func (p *pace) phases(k *serving.Iteration) (list [4]phase) {
	h := p.halves(k)
	if k.Answers() {
		own := p.experts.own
		there := phase{scenario.Dispatch, h.Shared + h.Before + own, h.Routed}
		back := phase{scenario.Combine, h.After + own, 0}
		list = [4]phase{there, back, there, back}
	} else {
		attention := h.Before + h.After
		list = [4]phase{
			{scenario.Combine, attention + h.Shared, 0},
			{scenario.Dispatch, attention, 0},
			{scenario.Dispatch, h.Routed, 0},
			{scenario.Combine, h.Routed + h.Shared, 0},
		}
	}
	list[3].then += h.Rest / units.Time(p.experts.layers)
	return list
}

// halves is the times of an iteration's computations in two halves, of the slowest group. Sums of tensor parallelism do not
// overlap with other computations.
func (p *pace) halves(k *serving.Iteration) (h llm.Halves) {
	for _, pass := range p.passes(k) {
		own := p.job.Halves(&pass)
		h.Before, h.After, h.Rest = max(h.Before, own.Before), max(h.After, own.After), max(h.Rest, own.Rest)
		h.Shared, h.Routed = max(h.Shared, own.Shared), max(h.Routed, own.Routed)
	}
	if p.job.Parallel.Tensor > 1 {
		tokens := k.Tokens()
		h.After += p.sum((tokens + 1) / 2)
		h.Routed += p.sum((tokens + 1) / 2)
		h.Rest += units.Time(2*(p.job.Model.Layers-p.experts.layers)) * p.sum(tokens)
	}
	return h
}

// passes are the passes of an iteration's groups. For answers alone they are one, which has the most of each group: the
// difference between groups is small.
func (p *pace) passes(k *serving.Iteration) (list []llm.Pass) {
	if k.Answers() {
		most := llm.Pass{Cache: p.cache}
		for i := range k.Groups {
			w := &k.Groups[i]
			most.Answers, most.Drafts, most.Context = max(most.Answers, w.Requests), max(most.Drafts, w.Drafts), max(most.Context, w.Context)
		}
		return []llm.Pass{most}
	}
	for i := range k.Groups {
		w := &k.Groups[i]
		list = append(list, llm.Pass{Chunks: w.Chunks, Ends: len(w.Chunks), Answers: w.Requests, Drafts: w.Drafts, Context: w.Context, Cache: p.cache})
	}
	return list
}

// sum is the time of a sum of tensor parallelism of a number of tokens.
func (p *pace) sum(tokens int) units.Time {
	return p.sums.at(int64(tokens) * int64(p.job.Model.Hidden) * 2)
}
