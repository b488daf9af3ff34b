package validate

import (
	"context"

	"weft/internal/study/serve"
	"weft/results"
	"weft/scenario"
)

// The published figures of disaggregated serving.
const (
	lmsysBlog = "lmsys.org/blog, large-scale-ep (2025-05-05, section Profile Results; id 22647737252)"
	rtpReport = "RTP-LLM's report on DeepSeek (id 5524063884)"
)

func disaggregatedCases() []*Case {
	return []*Case{{
		ID:        "serving/disaggregated-prefill",
		Claim:     "Instances that compute prompts of DeepSeek-V3 alone reach the published tokens in a second.",
		Reference: "Measured, input tokens in a second on a node of 8 GPUs, no prompt in a cache, as much decode as it takes: SGLang on 32 H100 and DeepSeek's published profile on 32 H800, " + lmsysBlog + "; RTP-LLM on 32 H800, " + rtpReport + " (S).",
		Setting: "One instance of 32 GPUs, experts over all of them, in FP8; a burst of prompts that fills three iterations of 16,384 tokens a GPU (RTP-LLM: 8,192), in two halves. " +
			"Assumed: rails of 8 × 400 Gb/s InfiniBand for SGLang and DeepSeek, RoCE v2 for RTP-LLM; uniform experts. Nothing was fitted on these rows.",
		Slow: true,
		Run:  prefillRows,
	}, {
		ID:        "serving/disaggregated-decode",
		Claim:     "Instances that compute answers of DeepSeek-V3 alone reach the published tokens in a second.",
		Reference: "Measured, output tokens in a second on a node of 8 GPUs: SGLang on 72 H100 and DeepSeek's published profile on 128 H800, " + lmsysBlog + "; RTP-LLM on 144 H800, " + rtpReport + "; DeepSeek's mean over a day on instances of 144 H800, open-infra-index, day 6 (S).",
		Setting: "One instance with experts over all GPUs, in FP8, in two halves; so many requests on each GPU as published, whose prompts are in the cache. The figure is requests over the mean time of a token. " +
			"DeepSeek's profile has guessed tokens: its layers take 87 ms (zdszero.github.io, deepseek_profile), in which 128 requests give the published rate with 1.6 tokens each. Assumed: rails of 8 × 400 Gb/s InfiniBand, RoCE v2 for RTP-LLM; uniform experts. Nothing was fitted on these rows.",
		Slow: true,
		Run:  decodeRows,
	}}
}

// disaggregated is a published instance of DeepSeek-V3 that computes prompts or answers alone.
type disaggregated struct {
	name, node, fabric string
	nodes              int
	each               int // decode: requests of a GPU; prefill: tokens of a GPU in an iteration
	context            int // tokens of a prompt
	published          float64
	tolerance          Tolerance
	note               string
	speculation        scenario.Speculation
}

var (
	noBalance   = "tokens choose experts unevenly there; that is not published"
	speculative = "speculative tokens (MTP) there, whose share that holds is not published; none here"
	// one guessed token for each answer, of which 60 % hold: so the source says of its own run, and so it finds the rate
	// of DeepSeek's profile.
	guessed = scenario.Speculation{Draft: 1, Accepted: scenario.Ratio{Num: 3, Den: 5}}
)

var publishedPrefill = []disaggregated{
	{name: "RTP-LLM, prompts of 4,096", node: "hgx-h800", fabric: "roce-v2-400g", nodes: 4, each: 8192, context: 4096, published: 42_600, tolerance: within(0.25), note: "two prompts a GPU in 1.5 s; kernels that its report calls slower than DeepSeek's"},
	{name: "SGLang, prompts of 1,024", node: "dgx-h100", fabric: "infiniband-ndr", nodes: 4, each: 16384, context: 1024, published: 57_674, tolerance: within(0.25), note: noBalance},
	{name: "SGLang, prompts of 4,096", node: "dgx-h100", fabric: "infiniband-ndr", nodes: 4, each: 16384, context: 4096, published: 50_302, tolerance: within(0.25), note: noBalance + "; its own run with balanced experts is 18 % faster"},
	{name: "SGLang, prompts of 4,096, experts balanced", node: "dgx-h100", fabric: "infiniband-ndr", nodes: 4, each: 16384, context: 4096, published: 59_337, tolerance: within(0.25), note: ""},
	{name: "DeepSeek's profile, prompts of 4,096", node: "hgx-h800", fabric: "infiniband-ndr", nodes: 4, each: 16384, context: 4096, published: 62_713, tolerance: within(0.25), note: ""},
}

var publishedDecode = []disaggregated{
	{name: "SGLang, 256 requests a GPU, 2,000 tokens before", node: "dgx-h100", fabric: "infiniband-ndr", nodes: 9, each: 256, context: 2000, published: 22_282, tolerance: within(0.25), note: noBalance},
	{
		name: "SGLang, 128 requests a GPU, 4,000 before, a guessed token", node: "dgx-h100", fabric: "infiniband-ndr", nodes: 9, each: 128, context: 4000, published: 17_373, tolerance: within(0.25), speculation: guessed,
		note: "guesses are simulated there: twice the requests, half of the tokens before, and attention slowed to that of DeepSeek's profile",
	},
	{name: "DeepSeek's profile, 128 requests a GPU, 4,096 before, a guessed token", node: "hgx-h800", fabric: "infiniband-ndr", nodes: 16, each: 128, context: 4096, published: 18_598, tolerance: within(0.25), speculation: guessed},
	{name: "RTP-LLM, 92 requests a GPU, 5,120 before", node: "hgx-h800", fabric: "roce-v2-400g", nodes: 18, each: 92, context: 5120, published: 14_700, tolerance: shown, note: speculative},
	{
		name: "DeepSeek's day, 88 requests a GPU, 4,989 before", node: "hgx-h800", fabric: "infiniband-ndr", nodes: 18, each: 88, context: 4989, published: 14_800, tolerance: shown,
		note: "mean of a day; 88 is 14,800 over 8 GPUs and 21 tokens in a second; " + speculative,
	},
}

// run is the published instance in weft: pool and load are what is particular.
func (d *disaggregated) run(ctx context.Context, pool scenario.Pool, load scenario.ServingLoad) (*results.ServingRun, error) {
	pool.Nodes, pool.Data, pool.Overlap = d.nodes, 8*d.nodes, true
	load.Lengths = scenario.FixedLengths
	r, err := resolvedServing(&scenario.Scenario{
		Cluster: scenario.Cluster{Nodes: d.nodes, Node: scenario.Node{Preset: d.node}}, Topology: scenario.Topology{Shape: scenario.RailOptimised},
		Fabric:  scenario.Fabric{Preset: d.fabric},
		Serving: scenario.Serving{Model: scenario.Model{Preset: "deepseek-v3"}, Precision: scenario.FP8, Collocated: true, Prefill: pool, Load: load, Speculation: d.speculation},
	})
	if err != nil {
		return nil, err
	}
	r.Serving.HostRequest = 0 // of the first request alone
	out, err := serve.Run(ctx, r, serve.Options{Workers: 1})
	if err != nil {
		return nil, err
	}
	return out.Points[0].Fabrics[0].Run, nil
}

// prefillRows has no decode: an answer of one token ends with its prompt.
func prefillRows(e *Env) (rows []Row, err error) {
	const iterations = 3
	list, known := publishedPrefill, map[disaggregated]float64{}
	if e.Short {
		list = list[:1]
	}
	for _, d := range list {
		same := disaggregated{node: d.node, fabric: d.fabric, each: d.each, context: d.context}
		if known[same] == 0 {
			n := iterations * 8 * d.nodes * d.each / d.context
			run, err := d.run(e.Ctx, scenario.Pool{Tokens: d.each}, scenario.ServingLoad{Burst: n, Requests: n, Prompt: d.context, Output: 1})
			if err != nil {
				return nil, err
			}
			known[same] = float64(n*d.context) / (float64(run.EndPs) / 1e12) / float64(d.nodes)
		}
		rows = append(rows, one(d.name, Plain, d.published, known[same], d.tolerance, d.note))
	}
	return rows, nil
}

// decodeRows has prompts in the cache, of which an iteration remains, and answers short enough to change little of the
// tokens before.
func decodeRows(e *Env) (rows []Row, err error) {
	const answer = 32
	list := publishedDecode
	if e.Short {
		list = list[:1]
	}
	for _, d := range list {
		n := 8 * d.nodes * d.each
		run, err := d.run(e.Ctx, scenario.Pool{Tokens: 4 * d.each, Requests: d.each},
			scenario.ServingLoad{Burst: n, Requests: n, Prompt: d.context - answer/2, Output: answer, PrefixHits: scenario.Ratio{Num: 999, Den: 1000}})
		if err != nil {
			return nil, err
		}
		rows = append(rows, one(d.name, Plain, d.published, float64(8*d.each)/(float64(run.PerToken.Mean)/1e12), d.tolerance, d.note))
	}
	return rows, nil
}
