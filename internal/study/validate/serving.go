package validate

import (
	"fmt"
	"math"
	"math/rand/v2"

	workload "weft/internal/sim/workload/serving"
	"weft/internal/study/serve"
	"weft/results"
	"weft/scenario"
	"weft/units"
)

// mooncakeTransfers are published transfers of keys and values: kvcache-ai/Mooncake@3b5a594,
// docs/source/performance/sglang/sglang-benchmark-results-v1.md (V).
var mooncakeTransfers = []struct {
	tokens int
	us     float64
	gbps   float64
	first  float64 // ms of the first token
}{
	{128, 2070, 23.79, 129.21}, {256, 2580, 38.27, 125.76}, {512, 2980, 66.18, 133.91},
}

// qwen235 is Qwen3-235B-A22B (its config.json, R): 94 layers with 4 heads of keys and values.
var qwen235 = scenario.Model{
	Layers: 94, Hidden: 4096, FFN: 12288, Gated: true, Heads: 64, KVHeads: 4, HeadDim: 128, Vocab: 151936,
	Experts: 128, TopK: 8, ExpertFFN: 1536, Sequence: 4096,
}

func servingCases() []*Case {
	return append(append(disaggregatedCases(), engineCases()...), []*Case{{
		ID:        "serving/kv-mooncake",
		Claim:     "Keys and values from one prefill to one decode node, beside a measured transfer.",
		Reference: "Measured: kvcache-ai/Mooncake@3b5a594, docs/source/performance/sglang/sglang-benchmark-results-v1.md: Qwen3-235B in BF16 with SGLang, tensor parallelism of 8 at both ends (V).",
		Setting: "Two nodes of 8 GPUs with 4 ports of 400 Gb/s, of which two GPUs share one (preset dgx-h100 with 4 NICs for H20; the GPU takes no part), RoCE v2 (preset roce-v2-400g), one switch. " +
			"4 heads of keys and values on 8 GPUs: each head is on two, and moves twice, as the published sizes say. All tokens of a layer lie together; slices of 64 KiB by WRITE.",
		Calibrated: "serving.kv.layer-time, 19 us, was fitted on the three rows of serving/kv-mooncake, which are therefore not scored: the least squares of their relative errors. They have too few tokens to tell a time for each layer from one for each transfer.",
		Run:        mooncakeRows,
	}, {
		ID:        "serving/mooncake-first-token",
		Claim:     "First tokens of short prompts that one node computes and passes on to another, where the hosts launch each kernel.",
		Reference: "Measured: the same runs as serving/kv-mooncake, which have first tokens of 129.21, 125.76 and 133.91 ms (V).",
		Setting: "As serving/kv-mooncake, one request after the other; SGLang of that time had no CUDA graph for prompts: serving.graph-tokens 0. " +
			"What decides is serving.host-layer, which comes from other sources. The GPUs are H20, whose products are slower than those of preset dgx-h100; here they take less time than the hosts. Nothing was fitted on first tokens.",
		Run: mooncakeFirstRows,
	}, {
		ID:         "serving/kv-node",
		Claim:      "The keys and values of a long prompt move from a node at the published rate of a library, whatever the NICs could.",
		Reference:  "Measured: kvcache-ai/Mooncake, 40 GB of a request of 128k tokens of Llama 3 70B: 87 GB/s on 4 x 200 Gb/s and 190 GB/s on 8 x 400 Gb/s of RoCE (the second also in its page on EFA, id 15158598).",
		Setting:    "Two nodes of 8 GPUs, one switch, RoCE v2; tensor parallelism of 8 at both ends.",
		Calibrated: "serving.kv.share and serving.kv.rate are the two rows of serving/kv-node, which are therefore not scored.",
		Run:        nodeRateRows,
	}, {
		ID:        "serving/vllm-one-gpu",
		Claim:     "First tokens, later tokens and a burst of vLLM on one GPU.",
		Reference: "Measured: kvcached, benchmarks/bench_layout/H100_results.md (pull request 331), rows A and F without kvcached: vLLM 0.19, Qwen3 0.6B, one H100, random prompts of 512 tokens and answers of 128, 500 requests (S).",
		Setting:   "One GPU of preset dgx-h100, prompts and answers in one instance, 50 % of the memory; the defaults of serving otherwise. Nothing was fitted on these rows.",
		Run:       vllmRows,
	}, {
		ID:         "serving/vllm-one-client",
		Claim:      "First tokens and later tokens of vLLM on one GPU for one client, which waits for each answer.",
		Reference:  "Measured: tenstorrent/tt-inference-server, issue 340 (2025-06-24): vLLM, Qwen3 0.6B, one A100, concurrency of 1, 8 and 4 requests, answers of 128 tokens (S). vLLM's version is not stated.",
		Setting:    "One GPU of preset dgx-a100, prompts and answers in one instance; the defaults of serving otherwise.",
		Calibrated: "serving.host-request, 8.7 ms, is the mean of the first token of 128 tokens in serving/vllm-one-client, which is therefore not scored, and of one of another source, each less an iteration.",
		Run:        vllmClientRows,
	}, {
		ID:        "serving/queues",
		Claim:     "The line before prefill is a queue: the mean wait of random requests without a network is that of M/D/1, M/M/1, M/G/1 and M/M/4 within 2 %.",
		Reference: "Pollaczek and Khinchine, λ E(S²) / 2 / (1 - ρ); for four instances Erlang's C over 4 (1 - ρ).",
		Setting:   "Instances that compute one prompt at a time, a nanosecond for each token, 10⁶ tokens in the mean: all alike, exponential, or one of ten 19 times as long as the others. 2·10⁶ requests at each load.",
		Slow:      true,
		Run:       lineRows,
	}}...)
}

// line is a queue whose mean wait is known.
type line struct {
	name      string
	instances int
	second    float64 // E(S²) / E(S)²
	length    func(random *rand.Rand) int
}

// lines have prompts of a million tokens in the mean.
var lines = []line{
	{"M/D/1", 1, 1, func(*rand.Rand) int { return 1e6 }},
	{"M/M/1", 1, 2, func(r *rand.Rand) int { return max(1, int(r.ExpFloat64()*1e6)) }},
	{"M/G/1", 1, (9*1 + 19*19) * 10 / (28. * 28), func(r *rand.Rand) int {
		if r.IntN(10) == 0 {
			return 6_785_714
		}
		return 357_143
	}},
	{"M/M/4", 4, 2, func(r *rand.Rand) int { return max(1, int(r.ExpFloat64()*1e6)) }},
}

// wait is the mean wait at a load, in means of a service.
func (l *line) wait(load float64) float64 {
	if l.instances == 1 {
		return load * l.second / 2 / (1 - load)
	}
	k := float64(l.instances)
	term, sum := 1.0, 1.0
	for i := 1; i < l.instances; i++ {
		term *= k * load / float64(i)
		sum += term
	}
	term *= load / (1 - load)
	return term / (sum + term) / k / (1 - load)
}

func lineRows(e *Env) ([]Row, error) {
	loads, n, limit := []float64{0.3, 0.6, 0.8}, 2_000_000, 0.02
	if e.Short {
		n, limit = 100_000, 0.15
	}
	rows := make([]Row, len(lines)*len(loads))
	return rows, e.each(len(rows), func(i int) error {
		l, load := &lines[i/len(loads)], loads[i%len(loads)]
		random := rand.New(rand.NewPCG(uint64(i), 0x51))
		requests := make([]workload.Request, n)
		at := 0.0
		for k := range requests {
			at += random.ExpFloat64() * 1e9 / load / float64(l.instances) // ps
			requests[k] = workload.Request{Arrival: units.Time(at), Prompt: l.length(random), Output: 1}
		}
		pool := workload.Pool{Instances: l.instances, Groups: 1, Stages: 1, Tokens: math.MaxInt32, Requests: 1, Room: math.MaxInt64}
		pool.Time = func(groups []workload.Work) units.Time { return units.Time(groups[0].Tokens()) * units.Nanosecond }
		done := workload.Alone(&workload.Job{Prefill: pool, Decode: pool, Layers: 1}, requests, 0, nil)
		sum := 0.0
		for k, r := range done.Records() {
			sum += float64(r.Begun-requests[k].Arrival) / float64(n)
		}
		rows[i] = one(fmt.Sprintf("%s, load %.1f", l.name, load), Microseconds, 1e9*l.wait(load), sum, within(limit), "")
		return nil
	})
}

// onMooncake is the published setting of Mooncake's transfers.
func onMooncake(load scenario.ServingLoad) (*scenario.Resolved, error) {
	pool := scenario.Pool{Nodes: 1, Tensor: 8}
	return resolvedServing(&scenario.Scenario{
		Cluster: scenario.Cluster{Nodes: 2, Node: scenario.Node{Preset: "dgx-h100", NICs: 4}}, Topology: scenario.Topology{Shape: scenario.SingleSwitch},
		Fabric: scenario.Fabric{Preset: "roce-v2-400g"}, Serving: scenario.Serving{Model: qwen235, Prefill: pool, Decode: pool, Load: load},
	})
}

func mooncakeFirstRows(e *Env) (rows []Row, err error) {
	for _, x := range mooncakeTransfers {
		r, err := onMooncake(scenario.ServingLoad{Requests: 4, Prompt: x.tokens, Output: 16, Concurrency: 1, Lengths: scenario.FixedLengths})
		if err != nil {
			return nil, err
		}
		r.Serving.GraphTokens = 0
		out, err := serve.Run(e.Ctx, r, serve.Options{Workers: e.Workers})
		if err != nil {
			return nil, err
		}
		got := out.Points[0].Fabrics[0].Run.FirstToken.Mean
		rows = append(rows, one(fmt.Sprintf("a prompt of %d", x.tokens), Microseconds, x.first*float64(units.Millisecond), float64(got), within(0.25), ""))
	}
	return rows, nil
}

func mooncakeRows(e *Env) ([]Row, error) {
	r, err := onMooncake(scenario.ServingLoad{})
	if err != nil {
		return nil, err
	}
	o := serve.TransferOptions{Workers: e.Workers}
	for _, x := range mooncakeTransfers {
		o.Tokens = append(o.Tokens, x.tokens)
	}
	out, err := serve.Transfers(e.Ctx, r, o)
	if err != nil {
		return nil, err
	}
	var rows []Row
	for i, x := range mooncakeTransfers {
		row := &out.Fabrics[0].Rows[i]
		rows = append(rows, one(fmt.Sprintf("%d tokens, %.0f MB", x.tokens, float64(row.Bytes)/1e6), Microseconds, 1e6*x.us, float64(row.TotalPs), shown,
			"published %.2f GB/s, weft %.2f", x.gbps, row.GBps))
	}
	return rows, nil
}

// resolvedServing is a serving scenario.
func resolvedServing(s *scenario.Scenario) (*scenario.Resolved, error) {
	file, err := scenario.New("serving", s)
	if err != nil {
		return nil, err
	}
	return file.Resolve()
}

func nodeRateRows(e *Env) (rows []Row, err error) {
	for _, x := range []struct {
		nics      int
		fabric    string
		gbps      float64
		tolerance Tolerance
	}{{4, "roce-v2-200g", 87, shown}, {8, "roce-v2-400g", 190, shown}} {
		pool := scenario.Pool{Nodes: 1, Tensor: 8}
		r, err := resolvedServing(&scenario.Scenario{
			Cluster: scenario.Cluster{Nodes: 2, Node: scenario.Node{Preset: "dgx-h100", NICs: x.nics}}, Topology: scenario.Topology{Shape: scenario.SingleSwitch},
			Fabric: scenario.Fabric{Preset: x.fabric}, Serving: scenario.Serving{Model: scenario.Model{Preset: "llama3-70b"}, Prefill: pool, Decode: pool},
		})
		if err != nil {
			return nil, err
		}
		tokens := 128 << 10
		if e.Short {
			tokens /= 16
		}
		out, err := serve.Transfers(e.Ctx, r, serve.TransferOptions{Workers: e.Workers, Tokens: []int{tokens}})
		if err != nil {
			return nil, err
		}
		row := &out.Fabrics[0].Rows[0]
		rows = append(rows, one(fmt.Sprintf("%d NICs, %s", x.nics, x.fabric), Gigabytes, x.gbps*1e9, row.GBps*1e9, x.tolerance, "%.1f GB", float64(row.Bytes)/1e9))
	}
	return rows, nil
}

// qwen06 is Qwen3-0.6B (its config.json, R).
var qwen06 = scenario.Model{Layers: 28, Hidden: 1024, FFN: 3072, Gated: true, Heads: 16, KVHeads: 8, HeadDim: 128, Vocab: 151936, Tied: true, Sequence: 2048}

// onOneGPU serves Qwen3 0.6B on one GPU of a node.
func onOneGPU(e *Env, node, fabric string, load scenario.ServingLoad) (*results.ServingRun, error) {
	load.Lengths = scenario.FixedLengths
	r, err := resolvedServing(&scenario.Scenario{
		Cluster: scenario.Cluster{Nodes: 1, Node: scenario.Node{Preset: node, GPUs: 1, NICs: 1}}, Fabric: scenario.Fabric{Preset: fabric},
		Serving: scenario.Serving{Model: qwen06, Collocated: true, Prefill: scenario.Pool{Tensor: 1, Memory: scenario.Ratio{Num: 1, Den: 2}}, Load: load},
	})
	if err != nil {
		return nil, err
	}
	out, err := serve.Run(e.Ctx, r, serve.Options{Workers: 1})
	if err != nil {
		return nil, err
	}
	return out.Points[0].Fabrics[0].Run, nil
}

func vllmRows(e *Env) ([]Row, error) {
	steady, err := onOneGPU(e, "dgx-h100", "infiniband-ndr", scenario.ServingLoad{Requests: 500, Prompt: 512, Output: 128, Rate: scenario.Ratio{Num: 16, Den: 1}})
	if err != nil {
		return nil, err
	}
	burst, err := onOneGPU(e, "dgx-h100", "infiniband-ndr", scenario.ServingLoad{Requests: 500, Prompt: 512, Output: 128, Burst: 500})
	if err != nil {
		return nil, err
	}
	const ms = float64(units.Millisecond)
	return []Row{
		one("first token, 16 requests in a second", Microseconds, 38.9*ms, float64(steady.FirstToken.Mean), within(0.25), "of the published 36 ms at the median an iteration with a prompt is 12.7 (the 99th percentile between tokens), 12.7 here; the rest, 23 ms, is before it or at the client, and is 9 ms in serving/vllm-one-client"),
		one("later tokens, 16 requests in a second", Microseconds, 2.39*ms, float64(steady.PerToken.Mean), within(0.25), ""),
		one("500 requests at once, until the last answer", Microseconds, 500/94.91*1e3*ms, float64(burst.EndPs), within(0.25), "the front end reads requests one after the other"),
		one("500 requests at once, first token", Microseconds, 2905*ms, float64(burst.FirstToken.Mean), within(0.25), "the same"),
		one("500 requests at once, later tokens", Microseconds, 5.45*ms, float64(burst.PerToken.Mean), within(0.25), "requests and tokens share one thread there, here they have lines of their own"),
	}, nil
}

// vllmClientRows are of one client that waits for its answers.
func vllmClientRows(e *Env) (rows []Row, err error) {
	const ms = float64(units.Millisecond)
	for _, x := range []struct {
		prompt      int
		first, each float64 // ms
		tolerance   Tolerance
		note        string
	}{
		{128, 12.4, 4.2, shown, "one of the two figures of serving.host-request"},
		{1024, 21.0, 4.4, within(0.25), "no CUDA graph has it: the hosts launch each kernel"},
	} {
		run, err := onOneGPU(e, "dgx-a100", "infiniband-hdr", scenario.ServingLoad{Requests: 8, Prompt: x.prompt, Output: 128, Concurrency: 1})
		if err != nil {
			return nil, err
		}
		rows = append(rows,
			one(fmt.Sprintf("first token, a prompt of %d", x.prompt), Microseconds, x.first*ms, float64(run.FirstToken.Mean), x.tolerance, x.note),
			one(fmt.Sprintf("later tokens, a prompt of %d", x.prompt), Microseconds, x.each*ms, float64(run.PerToken.Mean), shown, "vLLM of that time may have scheduled between iterations, which is host-iteration"))
	}
	return rows, nil
}
