package serve

import (
	"bytes"
	"context"
	"math"
	"strings"
	"testing"

	"weft/internal/formats/requests"
	"weft/internal/sim/known"
	"weft/internal/study/many"
	"weft/internal/test/runtest"
	"weft/results"
	"weft/scenario"
	"weft/units"
)

const servingText = `name: small
cluster: {nodes: 2}
topology: {shape: single-switch}
fabrics: [infiniband-ndr, roce-v2-400g]
serving:
  model: {layers: 4, hidden: 1024, ffn: 4096, heads: 8, kv-heads: 8, head-dim: 128, vocab: 1000, sequence: 2048}
  prefill: {nodes: 1, tensor: 8}
  decode: {nodes: 1, tensor: 8}
  load: {rate: 10, requests: 20, prompt: 4096, output: 8, lengths: fixed}
`

func resolved(t *testing.T, set ...scenario.Override) *scenario.Resolved {
	t.Helper()
	r, err := resolvedWith(set...)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func resolvedWith(set ...scenario.Override) (*scenario.Resolved, error) {
	file, err := scenario.Decode("test", []byte(servingText))
	if err != nil {
		return nil, err
	}
	return file.Resolve(append(append(unbounded(), scenario.Set("serving.host-request", "0s", "test"), scenario.Set("serving.host-token", "0s", "test"), scenario.Set("serving.host-layer", "0s", "test")), set...)...)
}

func served(t *testing.T, o Options, set ...scenario.Override) *results.Serving {
	t.Helper()
	out, err := Run(context.Background(), resolved(t, set...), o)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func set(path, value string) scenario.Override {
	return scenario.Override{Path: path, Value: value, Origin: "test"}
}

// Requests that do not meet are transferred as weft bench kv does, to the picosecond.
func TestALoneRequestIsTransferredAsInTheBenchmark(t *testing.T) {
	r := resolved(t, set("serving.load.rate", "0.1"))
	out := served(t, Options{}, set("serving.load.rate", "0.1"))
	alone, err := Transfers(context.Background(), r, TransferOptions{Tokens: []int{4096}})
	if err != nil {
		t.Fatal(err)
	}
	for i, f := range out.Points[0].Fabrics {
		if got, want := f.Run.Transfer.P50, alone.Fabrics[i].Rows[0].TotalPs; got < want || got > want+8 {
			t.Errorf("%s: the transfer takes %d ps in the job, %d ps alone", f.Name, got, want)
		}
	}
}

// Layers that leave as they are computed hide most of their transfer behind the prompt.
func TestLayersThatLeaveEarlyAreLessExposed(t *testing.T) {
	whole := served(t, Options{}).Points[0].Fabrics[0].Run
	early := served(t, Options{}, set("serving.kv.send", "layers")).Points[0].Fabrics[0].Run
	if early.Exposed.P50*2 > whole.Exposed.P50 {
		t.Errorf("exposed at the median: %d ps layer by layer, %d ps after the prompt", early.Exposed.P50, whole.Exposed.P50)
	}
	if early.FirstToken.P50 >= whole.FirstToken.P50 {
		t.Errorf("first token at %d ps layer by layer, %d ps after the prompt", early.FirstToken.P50, whole.FirstToken.P50)
	}
}

func TestTheFabricCostsTimeToTheFirstToken(t *testing.T) {
	p := served(t, Options{}).Points[0]
	for _, f := range p.Fabrics {
		if d := f.Run.FirstToken.P50 - p.Ideal.FirstToken.P50; d <= 0 || d > 1e9 {
			t.Errorf("%s costs %d ps of the first token, want some of the 0.3 ms that 16 MiB take", f.Name, d)
		}
	}
}

// A rate beyond saturation is named, with what is full, and not simulated.
func TestARateBeyondSaturationIsUnstable(t *testing.T) {
	p := served(t, Options{Rates: []float64{1e5}}).Points[0]
	if p.Loads[0].Share < 1 || !strings.Contains(p.Unstable, p.Loads[0].Resource) || p.Ideal != nil || p.Fabrics[0].Run != nil {
		t.Errorf("%+v", p)
	}
}

// The NICs of a pool are full before its GPUs: one NIC of a node for all of a long prompt's keys and values.
func TestFullNICsAreUnstable(t *testing.T) {
	slow := []scenario.Override{
		set("cluster.node.nics", "1"), set("serving.load.prompt", "8192"), set("serving.load.output", "2"), set("serving.load.requests", "4"), set("serving.model.hidden", "64"), set("serving.model.ffn", "64"),
		set("serving.prefill.tokens", "8192"),
	}
	out := served(t, Options{Knee: true}, slow...)
	for _, p := range out.Points {
		for _, f := range p.Fabrics {
			if f.Unstable != "" && strings.Contains(f.Unstable, "NICs") {
				return
			}
		}
	}
	t.Errorf("no rate is refused for its NICs: %+v", out.Points)
}

// A job that does not fit is refused with the sum.
func TestAJobThatDoesNotFitIsRefusedWithTheArithmetic(t *testing.T) {
	_, err := Run(context.Background(), resolved(t, set("serving.model", "llama3-405b"), set("serving.decode.tensor", "4")), Options{})
	if err == nil {
		t.Fatal("405 billion parameters fit four GPUs")
	}
	for _, part := range []string{"serving.prefill", "weights: 406 billion parameters of 2 bytes over 8 GPUs", "keys and values: 4096 tokens"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("the error does not say %q:\n%v", part, err)
		}
	}
}

func TestServingDoesNotDependOnCores(t *testing.T) {
	var all [][]byte
	for _, workers := range []int{1, 2} {
		text, err := served(t, Options{Workers: workers, Rates: []float64{5, 20}}, set("run.jitter", "true")).Encode()
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, text)
	}
	if !bytes.Equal(all[0], all[1]) {
		t.Error("one core and two give different results")
	}
}

// With a hit rate less is computed, and as much is transferred.
func TestPrefixHitsShortenPrefillAlone(t *testing.T) {
	without := served(t, Options{}).Points[0].Fabrics[0].Run
	with := served(t, Options{}, set("serving.load.prefix-hits", "75%")).Points[0].Fabrics[0].Run
	if with.Prefill.P50*2 > without.Prefill.P50*2-without.Prefill.P50/2 || with.Transfer.P50 != without.Transfer.P50 {
		t.Errorf("prefill %d and %d ps, transfer %d and %d ps with and without hits", with.Prefill.P50, without.Prefill.P50, with.Transfer.P50, without.Transfer.P50)
	}
}

// A trace's requests come at its own pace, or at another with the same lengths.
func TestATraceIsServedAtItsPaceOrAnother(t *testing.T) {
	list := []requests.Request{{At: 0, Prompt: 1000, Output: 3}, {At: units.Second, Prompt: 1200, Output: 1}, {At: 2 * units.Second, Prompt: 1, Output: 2}}
	trace := &Trace{Name: "trace.csv", Requests: &requests.Trace{Format: "Azure's trace", Requests: list, More: true}}
	out := served(t, Options{Trace: trace})
	if p := out.Points[0]; p.Rate != 1 || p.Ideal.EndPs < 2e12 || p.Ideal.EndPs > 3e12 || out.Job.Requests != 3 {
		t.Errorf("rate %g, end at %d ps, %d requests", p.Rate, p.Ideal.EndPs, out.Job.Requests)
	}
	if out.Job.Trace != "trace.csv (Azure's trace), the first 3" {
		t.Errorf("the trace is called %q", out.Job.Trace)
	}
	if p := served(t, Options{Trace: trace, Rates: []float64{10}}).Points[0]; p.Ideal.EndPs > 3e11 {
		t.Errorf("at ten in a second the end is at %d ps, want a tenth", p.Ideal.EndPs)
	}
	trace.Requests.Requests = list[:1]
	if _, err := Run(context.Background(), resolved(t), Options{Trace: trace}); err == nil || !strings.Contains(err.Error(), "have no rate") {
		t.Errorf("one request has a rate: %v", err)
	}
}

// A simulation that would not fit its limit of memory does not begin.
func TestMoreTransfersThanMemoryAreRefused(t *testing.T) {
	_, err := Run(context.Background(), resolved(t, set("serving.load.requests", "1000000"), set("run.limit.memory", "256MiB")), Options{})
	if err == nil || !strings.Contains(err.Error(), "32000000 messages, of 4 layers between 8 pairs of GPUs") {
		t.Errorf("a million requests in 256 MiB: %v", err)
	}
}

// Answers that take far longer than the requests took to arrive are no sign of an overload.
func TestLongAnswersAreNotUnstable(t *testing.T) {
	long := served(t, Options{}, set("serving.load.rate", "100"), set("serving.load.requests", "3"), set("serving.load.prompt", "100"), set("serving.load.output", "2000"), set("run.limit.simulated-time", "100ms"))
	for _, f := range long.Points[0].Fabrics {
		if f.Unstable != "" || f.Run == nil {
			t.Errorf("%s: %s%s", f.Name, f.Unstable, long.Points[0].Unstable)
		}
	}
}

// Each further seed is a run of its own: the spread is that of runs with these seeds.
func TestTheSpreadOverSeedsIsThatOfTheirRuns(t *testing.T) {
	random := []scenario.Override{set("serving.load.lengths", "exponential"), set("serving.load.prompt", "1024")}
	out := served(t, Options{Seeds: 3, Workers: 2}, random...).Points[0]
	for i, f := range out.Fabrics {
		var p50, p99 []int64
		for _, seed := range []string{"1", "2", "3"} {
			run := served(t, Options{}, append(random, set("run.seed", seed))...).Points[0].Fabrics[i].Run
			p50, p99 = append(p50, run.FirstToken.P50), append(p99, run.FirstToken.P99)
		}
		if f.Run.FirstToken.P50 != p50[0] || f.Seeds.Seeds != 3 || f.Seeds.FirstTokenP50 != many.SpreadOf(p50) || f.Seeds.FirstTokenP99 != many.SpreadOf(p99) {
			t.Errorf("%s: over seeds %+v, want the spread of %v and %v", f.Name, f.Seeds, p50, p99)
		}
		if p50[0] == p50[1] {
			t.Errorf("%s: seeds 1 and 2 have the same requests", f.Name)
		}
	}
}

// A seed without a steady state is counted, and is no part of the spread.
func TestASeedWithoutASteadyStateIsCounted(t *testing.T) {
	p := served(t, Options{Seeds: 2, Rates: []float64{1e5}}).Points[0]
	if s := p.Fabrics[0].Seeds; s == nil || s.Unstable != 2 || s.FirstTokenP50 != (results.Spread{}) {
		t.Errorf("beyond saturation: %+v", s)
	}
}

// A run from the cache is the simulated one, a limit of time that requests must keep is part of it, and each kept run comes again from its
// recipe.
func TestAKnownJobIsTheSimulated(t *testing.T) {
	moe := set("serving.model", "{layers: 4, hidden: 1024, ffn: 512, heads: 8, kv-heads: 8, head-dim: 128, vocab: 1000, sequence: 2048, experts: 16, top-k: 2, expert-ffn: 512}")
	run := func(cache known.Store, more ...scenario.Override) []byte {
		text, err := served(t, Options{Cache: cache, Workers: 2}, append(more, moe, set("serving.load.requests", "5"))...).Encode()
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	want := run(nil)
	cache := runtest.NewMemory()
	first := run(cache)
	cache.Missed = 0
	again := run(cache)
	if cache.Missed > 0 || !bytes.Equal(first, want) || !bytes.Equal(again, want) {
		t.Errorf("%d simulations were not known; equal results: %t, %t", cache.Missed, bytes.Equal(first, want), bytes.Equal(again, want))
	}
	if run(cache, set("serving.limits.first-token", "1us")); cache.Missed == 0 {
		t.Error("other limits were taken for the same job")
	}
	cache.Missed = 0
	if served(t, Options{Cache: cache, packets: 1000}, moe, set("serving.load.requests", "5")); cache.Missed == 0 {
		t.Error("a run with fewer packets of exchanges was taken for the same")
	}
	jobs := 0
	for key, e := range cache.Entries {
		if e.Kind != JobKind {
			continue
		}
		jobs++
		k, value, err := Resimulate(t.Context(), e.Recipe, 1)
		if err != nil || k != key || !bytes.Equal(value, e.Value) {
			t.Errorf("%s, from its recipe: %v, another key %t, another value %t", e.What, err, k != key, !bytes.Equal(value, e.Value))
		}
	}
	if jobs != 6 {
		t.Errorf("%d jobs were kept, want 6", jobs)
	}
}

// A layer over two nodes has its sums on the network: tokens take longer than with the same GPUs' sums inside a node,
// and longer on a slower network. Without a network they take no longer than inside a node.
func TestALayerOverTwoNodesSumsOnTheNetwork(t *testing.T) {
	over := []scenario.Override{
		set("cluster.nodes", "4"), set("fabrics", "[infiniband-ndr, {preset: infiniband-ndr, name: slow, link: {lane-rate: 10Gbps}}]"),
		set("serving.model.heads", "16"), set("serving.model.kv-heads", "16"), set("serving.load.requests", "3"),
		set("serving.prefill.nodes", "2"), set("serving.decode.nodes", "2"), set("serving.prefill.tensor", "16"),
	}
	per := func(tensor string) (fast, slow, alone int64) {
		p := served(t, Options{}, append(over, set("serving.decode.tensor", tensor))...).Points[0]
		return p.Fabrics[0].Run.PerToken.P50, p.Fabrics[1].Run.PerToken.P50, p.Ideal.PerToken.P50
	}
	inside, same, _ := per("8")
	fast, slow, alone := per("16")
	if inside != same || fast <= alone || slow <= fast || alone > inside {
		t.Errorf("per token: inside a node %d and %d ps; over two %d ps, on a slow network %d ps, without one %d ps", inside, same, fast, slow, alone)
	}
}

// However soon a few requests happen to arrive, no more count as good than were asked.
func TestGoodRequestsAreNoMoreThanWereAsked(t *testing.T) {
	for _, seed := range []string{"1", "2", "3", "4"} {
		p := served(t, Options{}, set("serving.load.requests", "3"), set("run.seed", seed)).Points[0]
		for _, run := range []*results.ServingRun{p.Ideal, p.Fabrics[0].Run} {
			if run.Good != 1 || run.GoodRate != p.Rate {
				t.Errorf("seed %s: %.0f %% of %g requests in a second are %g good ones", seed, 100*run.Good, p.Rate, run.GoodRate)
			}
		}
	}
}

// The host's part of a request is before its prompt, and no part of the wait for prefill.
func TestTheHostsPartIsBeforeThePrompt(t *testing.T) {
	alone, host := served(t, Options{}), served(t, Options{}, set("serving.host-request", "5ms"))
	a, h := alone.Points[0].Ideal, host.Points[0].Ideal
	if got := h.FirstToken.P50 - a.FirstToken.P50; got != int64(5*units.Millisecond) {
		t.Errorf("a host's part of 5 ms adds %v to the first token", units.Time(got))
	}
	if a.Waiting != h.Waiting || a.PerToken != h.PerToken {
		t.Errorf("it changes the wait from %+v to %+v, or later tokens", a.Waiting, h.Waiting)
	}
	slow := served(t, Options{}, set("serving.host-iteration", "1ms")).Points[0].Ideal
	if got := slow.PerToken.P50 - a.PerToken.P50; got != int64(units.Millisecond) {
		t.Errorf("a millisecond of the scheduler for each iteration adds %v to a token", units.Time(got))
	}
}

// An iteration with a prompt takes as long as the hosts need for launching its kernels, unless a CUDA graph holds it; answers
// are in graphs.
func TestHostsLaunchTheKernelsOfPrompts(t *testing.T) {
	run := func(list ...scenario.Override) *results.ServingRun {
		return served(t, Options{}, append(list, set("serving.load.lengths", "fixed"), set("serving.load.rate", "0.1"))...).Points[0].Ideal
	}
	graph, launched := run(set("serving.host-layer", "100ms"), set("serving.graph-tokens", "100000")), run(set("serving.host-layer", "100ms"))
	if got, want := launched.Prefill.P50, int64(4*100*units.Millisecond); got != want {
		t.Errorf("a prompt takes %v through four layers of 100 ms, want %v", units.Time(got), units.Time(want))
	}
	if bare := run(); graph.Prefill != bare.Prefill || launched.PerToken.P50 != bare.PerToken.P50 {
		t.Errorf("a prompt in a graph takes %+v, without launches %+v; answers %+v and %+v", graph.Prefill, bare.Prefill, launched.PerToken, bare.PerToken)
	}
}

// Clients of a closed loop have a request each under way until none is left, and no load is too much for the job.
func TestClientsOfAClosedLoopWaitForTheirAnswers(t *testing.T) {
	file, err := scenario.Decode("test", []byte(strings.Replace(servingText, "rate: 10,", "concurrency: 3,", 1)))
	if err != nil {
		t.Fatal(err)
	}
	r, err := file.Resolve()
	if err != nil {
		t.Fatal(err)
	}
	out, err := Run(context.Background(), r, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range out.Points[0].Fabrics {
		if f.Run == nil || f.Unstable != "" {
			t.Fatalf("%s has no figures: %q", f.Name, f.Unstable)
		}
		for i, q := range f.Run.Requests {
			under := 0
			for _, other := range f.Run.Requests {
				if other.ArrivedPs <= q.ArrivedPs && q.ArrivedPs < other.DonePs {
					under++
				}
			}
			if want := 3; under != want {
				t.Errorf("%s: %d requests are under way when request %d arrives, want %d", f.Name, under, i, want)
			}
		}
	}
}

// The hosts' part comes before each request of a client, and nothing is computed before it was sent.
func TestClientsOfAClosedLoopWaitForTheHosts(t *testing.T) {
	text := strings.Replace(servingText, "rate: 10,", "concurrency: 3,", 1)
	file, err := scenario.Decode("test", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	r, err := file.Resolve(set("serving.host-request", "17ms"))
	if err != nil {
		t.Fatal(err)
	}
	out, err := Run(context.Background(), r, Options{})
	if err != nil {
		t.Fatal(err)
	}
	run := out.Points[0].Fabrics[0].Run
	for i, q := range run.Requests {
		if host := units.Time(q.BegunPs - q.ArrivedPs); host < 17*units.Millisecond {
			t.Errorf("request %d begins %v after it was sent, want 17ms or more", i, host)
		}
	}
	if p := &out.Points[0]; p.Rate != 0 || len(p.Loads) != 0 {
		t.Errorf("clients that wait send %g requests in a second, which need %v: want no rate", p.Rate, p.Loads)
	}
	if want := run.Good * float64(len(run.Requests)) / units.Time(run.EndPs).Seconds(); run.GoodRate != want {
		t.Errorf("%g good requests in a second, want those over the time of all, %g", run.GoodRate, want)
	}
}

// Nothing is transferred where prompts and answers are computed by the same GPUs: no exchange meets a transfer.
func TestCollocatedExchangesMeetNoTransfers(t *testing.T) {
	r := resolvedText(t, strings.NewReplacer("decode: {nodes: 1, tensor: 8}", "collocated: true", "prefill: {nodes: 1, tensor: 8}", "prefill: {nodes: 2, tensor: 1, data: 16}",
		"sequence: 2048}", "sequence: 2048, experts: 16, top-k: 2, expert-ffn: 512}").Replace(servingText))
	out, err := Run(context.Background(), r, Options{})
	if err != nil {
		t.Fatal(err)
	}
	f := &out.Points[0].Fabrics[0]
	if len(f.Exchanges) == 0 {
		t.Fatal("no exchange was simulated")
	}
	if f.Contention != nil {
		t.Errorf("exchanges meet transfers: %+v", f.Contention.Exchanges)
	}
}

func resolvedText(t *testing.T, text string) *scenario.Resolved {
	t.Helper()
	file, err := scenario.Decode("test", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	r, err := file.Resolve(unbounded()...)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Requests of a burst arrive together, the mean rate stays, and a burst beyond what the job can serve for long has figures.
func TestABurstHasFigures(t *testing.T) {
	out := served(t, Options{}, set("serving.load.burst", "10"), set("serving.load.rate", "1000000"))
	run := out.Points[0].Fabrics[0].Run
	if run == nil || out.Points[0].Unstable != "" {
		t.Fatalf("two bursts of ten have no figures: %q", out.Points[0].Unstable)
	}
	first, second := run.Requests[0].ArrivedPs, run.Requests[10].ArrivedPs
	for i, q := range run.Requests {
		if want := []int64{first, second}[i/10]; q.ArrivedPs != want {
			t.Errorf("request %d arrives at %d, its burst at %d", i, q.ArrivedPs, want)
		}
	}
	if first == second {
		t.Error("both bursts arrive at once")
	}
}

// One GPU serves alone: nothing is sent, and the network costs nothing.
func TestOneGPUServes(t *testing.T) {
	file, err := scenario.Decode("test", []byte(`cluster: {nodes: 1, node: {preset: dgx-h100, gpus: 1, nics: 1}}
fabrics: [infiniband-ndr]
serving: {model: llama3-8b, collocated: true, load: {requests: 5}}
`))
	if err != nil {
		t.Fatal(err)
	}
	r, err := file.Resolve()
	if err != nil {
		t.Fatal(err)
	}
	out, err := Run(context.Background(), r, Options{})
	if err != nil {
		t.Fatal(err)
	}
	p := &out.Points[0]
	if p.Fabrics[0].Run == nil || p.Fabrics[0].Run.FirstToken != p.Ideal.FirstToken || p.Ideal.FirstToken.P50 <= 0 {
		t.Errorf("one GPU has first tokens of %+v, without a network of %+v", p.Fabrics[0].Run, p.Ideal.FirstToken)
	}
}

// Front ends that have no time left for more requests are named as what is full.
func TestFrontEndsAreFull(t *testing.T) {
	p := served(t, Options{}, set("serving.host-request", "200ms")).Points[0]
	if full := p.Loads[0]; full.Resource != "the front ends' time" || math.Abs(full.Share-2) > 1e-9 || p.Unstable == "" {
		t.Errorf("10 requests in a second, each of which takes a front end 200 ms: %+v, %q", p.Loads, p.Unstable)
	}
}
