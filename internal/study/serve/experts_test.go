package serve

import (
	"testing"

	"weft/internal/sim/workload/llm"
	"weft/internal/sim/workload/serving"
	"weft/scenario"
	"weft/units"
)

// mixture is a job whose experts are on two nodes at each end.
var mixture = []scenario.Override{
	set("cluster.nodes", "4"), set("fabrics", "[infiniband-ndr, roce-v2-100g]"),
	set("serving.model", "{layers: 3, dense-layers: 1, hidden: 1024, ffn: 4096, heads: 8, kv-heads: 8, head-dim: 128, vocab: 1000, sequence: 2048, experts: 16, top-k: 4, expert-ffn: 512}"),
	set("serving.prefill", "{nodes: 2, data: 16, tokens: 256}"), set("serving.decode", "{nodes: 2, data: 16, requests: 64}"),
	set("serving.load", "{rate: 5, requests: 10, prompt: 256, output: 4, lengths: fixed}"),
}

// The two layers with experts pay a dispatch and a combine each; without a network the library's own time remains.
func TestExpertsOnOtherNodesCostTheirExchanges(t *testing.T) {
	out := served(t, Options{}, mixture...)
	p := out.Points[0]
	ib, slow := &p.Fabrics[0], &p.Fabrics[1]
	if len(ib.Exchanges) != 6 {
		t.Fatalf("%d exchanges, want three numbers of tokens of prefill and of decode: %+v", len(ib.Exchanges), ib.Exchanges)
	}
	for i, x := range ib.Exchanges {
		if x.DispatchPs <= 0 || x.CombinePs <= 0 || i%3 == 2 && slow.Exchanges[i].DispatchPs <= x.DispatchPs {
			t.Errorf("%+v on InfiniBand, %+v at a quarter of the rate", x, slow.Exchanges[i])
		}
	}
	if ib.Run.PerToken.P50 <= p.Ideal.PerToken.P50 || slow.Run.PerToken.P50 <= ib.Run.PerToken.P50 {
		t.Errorf("per token %d ps on InfiniBand, %d at a quarter of the rate, %d without network", ib.Run.PerToken.P50, slow.Run.PerToken.P50, p.Ideal.PerToken.P50)
	}
	one := ib.Exchanges[3] // of decode, which computes one token of one request at a time
	if one.Pool != "decode" || one.Tokens != 1 {
		t.Fatalf("%+v", one)
	}
	own := p.Ideal.PerToken.P50
	tables := &experts{layers: 2, tensor: 1, there: table{[]int64{1}, []units.Time{units.Time(one.DispatchPs)}}, back: table{[]int64{1}, []units.Time{units.Time(one.CombinePs)}}}
	if d := ib.Run.PerToken.P50 - own; d <= 0 || d > int64(tables.time(1)) {
		t.Errorf("the fabric adds %d ps to each token, want some of the %d of two layers", d, tables.time(1))
	}
}

// In halves exchanges of many tokens hide behind computations; few tokens are not divided.
func TestOverlappedExchangesAreHidden(t *testing.T) {
	for _, x := range []struct {
		tokens   string
		hastened bool
	}{{"512", false}, {"4096", true}} {
		job := append(mixture[:len(mixture):len(mixture)], set("fabrics", "[infiniband-ndr]"), set("serving.prefill.tokens", x.tokens), set("serving.model.hidden", "7168"),
			set("serving.load.prompt", x.tokens), set("serving.load.output", "1"), set("serving.load.requests", "2"))
		apart := served(t, Options{}, job...).Points[0].Fabrics[0].Run
		over := served(t, Options{}, append(job, set("serving.prefill.overlap", "true"))...).Points[0].Fabrics[0].Run
		if hastened := over.Prefill.P50 < apart.Prefill.P50; hastened != x.hastened || !hastened && over.Prefill.P50 != apart.Prefill.P50 {
			t.Errorf("%s tokens: prefill takes %d ps in halves, %d in one", x.tokens, over.Prefill.P50, apart.Prefill.P50)
		}
	}
}

// A layer in halves takes what its parts take in the order of DeepSeek's engine: with answers alone experts wait for their
// tokens, with prompts every exchange has a computation beside it.
func TestHalvesFollowThePublishedOrder(t *testing.T) {
	s, _, err := begin(t.Context(), resolved(t, append(mixture[:len(mixture):len(mixture)], set("fabrics", "[infiniband-ndr]"),
		set("serving.prefill.overlap", "true"), set("serving.decode.overlap", "true"))...), &Options{})
	if err != nil {
		t.Fatal(err)
	}
	answers, prompts := []serving.Work{{Requests: 64, Context: 64 * 256}}, []serving.Work{{Chunks: []llm.Chunk{{Tokens: 1024}}}}
	p := s.paces[0].decode
	h, own := p.halves(&serving.Iteration{Groups: answers}), 2*17*units.Microsecond // kernels that send and receive
	layer := max(h.Shared+h.Before+own, p.experts.layer(scenario.Dispatch, 32)) + h.Routed + max(h.After+own, p.experts.layer(scenario.Combine, 32))
	if l := p.phases(&serving.Iteration{Groups: answers}); l[0] != (phase{scenario.Dispatch, h.Shared + h.Before + own, h.Routed}) || l[1] != (phase{scenario.Combine, h.After + own, 0}) || l[2] != l[0] {
		t.Errorf("the phases of answers are %+v", l)
	}
	near(t, "answers", p.iteration(answers)-p.host, 2*2*layer+h.Rest) // two layers with experts
	p = s.paces[0].prefill
	h = p.halves(&serving.Iteration{Groups: prompts})
	there, back := p.experts.layer(scenario.Dispatch, 512), p.experts.layer(scenario.Combine, 512)
	attention := h.Before + h.After
	layer = max(attention+h.Shared, back) + max(attention, there) + max(h.Routed, there) + max(h.Routed+h.Shared, back)
	if l := p.phases(&serving.Iteration{Groups: prompts}); l[0] != (phase{scenario.Combine, attention + h.Shared, 0}) || l[1] != (phase{scenario.Dispatch, attention, 0}) ||
		l[2] != (phase{scenario.Dispatch, h.Routed, 0}) || l[3] != (phase{scenario.Combine, h.Routed + h.Shared, h.Rest / 2}) {
		t.Errorf("the phases of prompts are %+v", l)
	}
	near(t, "prompts", p.iteration(prompts)-p.host, 2*layer+h.Rest)
}

func near(t *testing.T, what string, got, want units.Time) {
	t.Helper()
	if d := got - want; d < -10 || d > 10 {
		t.Errorf("%s take %v, want %v", what, got, want)
	}
}

func TestATableIsInProportionBetweenItsSizes(t *testing.T) {
	x := table{[]int64{10, 20}, []units.Time{100, 300}}
	for bytes, want := range map[int64]units.Time{1: 100, 10: 100, 15: 200, 20: 300, 40: 600} {
		if got := x.at(bytes); got != want {
			t.Errorf("%d bytes take %d, want %d", bytes, got, want)
		}
	}
}

// Hot experts cost a job twice: the exchanges of prompts last longer, and the busiest GPU computes longer. A file of measured
// counts is another way to say the same.
func TestHotExpertsMakePromptsSlower(t *testing.T) {
	one := append(mixture[:len(mixture):len(mixture)], set("fabrics", "[infiniband-ndr]"))
	even := served(t, Options{}, one...)
	hot := served(t, Options{}, append(one, set("serving.experts", "{gating: zipf, skew: 1}"))...)
	if e, h := even.Job.Busiest[0], hot.Job.Busiest[0]; e < 1 || e > 1.2 || h < 2 {
		t.Errorf("the busiest GPU gets %.2f of the mean, %.2f with zipf; want 1 to 1.2, and 2 at least", e, h)
	}
	a, b := &even.Points[0].Fabrics[0], &hot.Points[0].Fabrics[0]
	if b.Exchanges[2].DispatchPs <= a.Exchanges[2].DispatchPs || b.Run.Prefill.P50 <= a.Run.Prefill.P50 {
		t.Errorf("a dispatch takes %d and a prompt %d ps, with hot experts %d and %d", a.Exchanges[2].DispatchPs, a.Run.Prefill.P50, b.Exchanges[2].DispatchPs, b.Run.Prefill.P50)
	}
	spread := served(t, Options{}, append(one, set("serving.experts", "{weights: [8, 8, 8, 8, 8, 8, 8, 8, 1, 1, 1, 1, 1, 1, 1, 1], placement: striped}"))...)
	heap := served(t, Options{}, append(one, set("serving.experts", "{weights: [8, 8, 8, 8, 8, 8, 8, 8, 1, 1, 1, 1, 1, 1, 1, 1], node-limit: 1}"))...)
	if s, h := spread.Points[0].Fabrics[0].Exchanges[2].DispatchPs, heap.Points[0].Fabrics[0].Exchanges[2].DispatchPs; s == h {
		t.Errorf("a dispatch takes %d ps whether or not tokens go to one node", s)
	}
}

// Exchanges of many tokens take the time along the line through two smaller ones: the wire and the stores decide.
func TestAnExchangeOfManyTokensLiesOnTheLineThroughSmallerOnes(t *testing.T) {
	job := append(mixture[:len(mixture):len(mixture)], set("fabrics", "[infiniband-ndr]"), set("serving.prefill.tokens", "8192"), set("serving.model.hidden", "7168"))
	all, _, err := begin(t.Context(), resolved(t, job...), &Options{})
	if err != nil {
		t.Fatal(err)
	}
	some, _, err := begin(t.Context(), resolved(t, job...), &Options{most: tokensOfLimit})
	if err != nil {
		t.Fatal(err)
	}
	for fabric := range all.plans {
		for _, what := range []scenario.Exchange{scenario.Dispatch, scenario.Combine} {
			got, want := some.there[fabric].layer(what, 8192), all.there[fabric].layer(what, 8192)
			if ratio := float64(got) / float64(want); ratio < 0.97 || ratio > 1.03 {
				t.Errorf("%s on fabric %d: %v along the line, %v simulated", what, fabric, got, want)
			}
		}
		if n := some.there[fabric].there.bytes; n[len(n)-1] != tokensOfLimit {
			t.Errorf("%d tokens were simulated, want at most 2,048", n)
		}
	}
}
