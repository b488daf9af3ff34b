package validate

import (
	"fmt"

	"weft/internal/study/serve"
	"weft/results"
	"weft/scenario"
	"weft/units"
)

func engineCases() []*Case {
	const alone = "On a network that takes no time. Nothing was fitted on these rows."
	return []*Case{{
		ID:        "serving/dynamo",
		Claim:     "First and later tokens of Llama 70B in FP8 on prefill and decode apart, with clients that wait for their answers.",
		Reference: "Measured by NVIDIA: triton-inference-server/triton_distributed@1662a1d, examples/llm/vllm/benchmark, two nodes of 8 H100 (V); ai-dynamo/dynamo, issue 402, one node of 8 H100, first token and later tokens of another user in issue 2552: 1.390 s and 18.2 ms (V). Prompts of 3,000 tokens, answers of 150.",
		Setting: "Of two nodes: four instances of 2 GPUs for prompts, one of 8 for answers, keys and values in FP8, 48 clients, 480 requests; the base line is an instance of 4 GPUs for both, 4 clients. Of one node: four instances of a GPU, one of 4, keys and values in BF16, 32 clients, 128 requests. " +
			"An iteration takes a prompt of at most 3,500 tokens (max-model-len, max-num-batched-tokens). A transfer, some 6 ms alone, is 0.5 % of a first token. The tokens in a second of triton_distributed do not follow from its times and clients, and are left out. " + alone,
		Run: dynamoRows,
	}, {
		ID:        "serving/llmservingsim",
		Claim:     "First and later tokens of vLLM on one and two GPUs in overload, where a line waits for 128 places.",
		Reference: "Measured: casys-kaist/LLMServingSim@5daddb2, bench/examples/RTXPRO6000, vllm/requests.jsonl: vLLM 0.19, RTX PRO 6000, BF16, 300 requests at 10 in a second (V).",
		Setting:   "The means of that file: prompts of 857 tokens (862), answers of 653 (665), all alike, at random times; 128 requests and 2,048 tokens in an iteration, as there. The memory's rate is that of its machine, 1,597 GB/s; GPUs are joined by PCIe. " + alone,
		Run:       simulatedRows,
	}, {
		ID:        "serving/distserve",
		Claim:     "Iterations of OPT on A100 with prompts alone and answers alone.",
		Reference: "Measured: LLMServe/DistServe@82831f1, simdistserve/estimators/profile_data/profiler-a100-80g.distserve.json: DistServe's fits of its engine's iterations, a + b × tokens + c × the sum of squares, and a + b × tokens before + c × answers (V).",
		Setting:   "One iteration of prompts, or 31 of answers with 512 tokens before, in BF16 for FP16, without the front end. DistServe's published goodput is no row: neither engine nor version of its first figure is named. " + alone,
		Run:       distserveRows,
	}}
}

// served is a job on a network that takes no time.
func served(e *Env, s *scenario.Scenario, change func(*scenario.Resolved)) (*results.ServingRun, error) {
	s.Serving.Load.Lengths = scenario.FixedLengths
	r, err := resolvedServing(s)
	if err != nil {
		return nil, err
	}
	if change != nil {
		change(r)
	}
	return serve.Alone(e.Ctx, r, serve.Options{})
}

// twoTimes are the rows of a run beside a published first token and later tokens in ms, and the last of an answer's.
func twoTimes(name string, run *results.ServingRun, answer int, first, each float64, notes [2]string) []Row {
	const ms = float64(units.Millisecond)
	row := func(what string, want, got float64, note string) Row {
		return one(name+", "+what, Microseconds, want*ms, got, within(0.25), note)
	}
	later := float64(answer - 1)
	return []Row{
		row("first token", first, float64(run.FirstToken.Mean), notes[0]), row("later tokens", each, float64(run.PerToken.Mean), notes[1]),
		row("last token", first+later*each, float64(run.FirstToken.Mean)+later*float64(run.PerToken.Mean), ""),
	}
}

func dynamoRows(e *Env) (rows []Row, err error) {
	const (
		waiting = "prefill is full: what answers take longer, requests wait less for it; the last token is the better figure"
		between = "vLLM of that time may have scheduled between iterations, which is host-iteration"
	)
	for _, x := range []struct {
		name            string
		gpus, nodes     int
		kv              scenario.Precision
		prefill, decode scenario.Pool
		clients, all    int
		first, each     float64 // ms
		notes           [2]string
	}{
		{
			name: "two nodes, 4 × 2 GPUs and 8", gpus: 8, nodes: 2, kv: scenario.FP8, prefill: scenario.Pool{Nodes: 1, Tensor: 2}, decode: scenario.Pool{Nodes: 1, Tensor: 8},
			clients: 48, all: 480, first: 1157.485, each: 15.936, notes: [2]string{waiting, between},
		},
		{name: "base line, 4 GPUs", gpus: 4, nodes: 1, kv: scenario.FP8, prefill: scenario.Pool{Nodes: 1, Tensor: 4}, clients: 4, all: 40, first: 709.251, each: 15.266, notes: [2]string{"whole prompts before answers there, one after the other: clients that begin together stay together", ""}},
		{
			name: "one node, 4 × 1 GPU and 4", gpus: 4, nodes: 2, kv: scenario.BF16, prefill: scenario.Pool{Nodes: 1, Tensor: 1, Memory: scenario.Ratio{Num: 19, Den: 20}}, decode: scenario.Pool{Nodes: 1, Tensor: 4},
			clients: 32, all: 128, first: 1385.48, each: 19.42, notes: [2]string{waiting, between},
		},
	} {
		x.prefill.Tokens = 3500
		run, err := served(e, &scenario.Scenario{
			Cluster: scenario.Cluster{Nodes: x.nodes, Node: scenario.Node{Preset: "dgx-h100", GPUs: x.gpus, NICs: x.gpus}}, Fabric: scenario.Fabric{Preset: "infiniband-ndr"},
			Serving: scenario.Serving{
				Model: scenario.Model{Preset: "llama3-70b"}, Precision: scenario.FP8, Collocated: x.nodes == 1, Prefill: x.prefill, Decode: x.decode, KV: scenario.KVTransfer{Precision: x.kv},
				Load: scenario.ServingLoad{Concurrency: x.clients, Requests: x.all, Prompt: 3000, Output: 150},
			},
		}, nil)
		if err != nil {
			return nil, err
		}
		rows = append(rows, twoTimes(x.name, run, 150, x.first, x.each, x.notes)...)
	}
	return rows, nil
}

// The models of LLMServingSim's runs that no preset has (their config.json, R).
var (
	qwen32 = scenario.Model{Layers: 64, Hidden: 5120, FFN: 25600, Gated: true, Heads: 64, KVHeads: 8, HeadDim: 128, Vocab: 151936, Sequence: 4096}
	qwen30 = scenario.Model{Layers: 48, Hidden: 2048, FFN: 6144, Gated: true, Heads: 32, KVHeads: 4, HeadDim: 128, Vocab: 151936, Experts: 128, TopK: 8, ExpertFFN: 768, Sequence: 4096}
)

func simulatedRows(e *Env) (rows []Row, err error) {
	for _, x := range []struct {
		name           string
		model          scenario.Model
		tensor, data   int
		prompt, output int
		first, each    float64 // ms
	}{
		{name: "Llama 3.1 8B", model: scenario.Model{Preset: "llama3-8b"}, tensor: 1, data: 1, prompt: 857, output: 653, first: 7097.2, each: 32.46},
		{name: "Qwen3 32B, tensor 2", model: qwen32, tensor: 2, data: 1, prompt: 862, output: 665, first: 36905, each: 80.31},
		{name: "Qwen3 30B-A3B, data and experts 2", model: qwen30, tensor: 1, data: 2, prompt: 862, output: 665, first: 1086.0, each: 47.29},
	} {
		run, err := served(e, &scenario.Scenario{
			Cluster: scenario.Cluster{Nodes: 1, Node: scenario.Node{Preset: "rtx-pro-6000-8", GPUs: x.tensor * x.data, NICs: 1}}, Fabric: scenario.Fabric{Preset: "roce-v2-200g"},
			Serving: scenario.Serving{
				Model: x.model, Collocated: true, Prefill: scenario.Pool{Tensor: x.tensor, Data: x.data, Tokens: 2048, Requests: 128},
				Load: scenario.ServingLoad{Rate: scenario.Ratio{Num: 10, Den: 1}, Requests: 300, Prompt: x.prompt, Output: x.output},
			},
		}, func(r *scenario.Resolved) { r.Cluster.Node.GPU.MemoryRate = 8 * 1597 * units.Gbps })
		if err != nil {
			return nil, err
		}
		rows = append(rows, twoTimes(x.name, run, x.output, x.first, x.each, [2]string{})...)
	}
	return rows, nil
}

// distserveProfile is the published fit of a model over a number of GPUs, in ms.
type distserveProfile struct {
	name             string
	model            scenario.Model
	gpus             int
	prompts, answers [3]float64
	note             string
}

// OPT (Zhang et al. 2022, table 1, R), whose input and output embedding are one.
var (
	opt13 = scenario.Model{Layers: 40, Hidden: 5120, FFN: 20480, Heads: 40, KVHeads: 40, HeadDim: 128, Vocab: 50272, Tied: true, Positions: 2048, Sequence: 2048}
	opt66 = scenario.Model{Layers: 64, Hidden: 9216, FFN: 36864, Heads: 72, KVHeads: 72, HeadDim: 128, Vocab: 50272, Tied: true, Positions: 2048, Sequence: 2048}
)

var distserveProfiles = []distserveProfile{
	{"OPT 13B, one GPU", opt13, 1, [3]float64{18.10255, 0.1019123, 7.122264e-6}, [3]float64{19.93470, 0.0006269357, 0.03850698}, ""},
	{"OPT 13B, 2 GPUs", opt13, 2, [3]float64{14.74297, 0.06857721, 2.449573e-6}, [3]float64{13.29480, 0.0003410922, 0.06296393}, "DistServe's engine reads keys and values at 1.2 TB/s (409,600 B in 0.341 us), 59 % of the memory's rate"},
	{"OPT 66B, 4 GPUs", opt66, 4, [3]float64{29.44164, 0.1513522, 8.317451e-6}, [3]float64{30.76028, 0.0004519476, 0.06328420}, ""},
}

func distserveRows(e *Env) (rows []Row, err error) {
	const before, answer = 512, 32
	const ms = float64(units.Millisecond)
	for _, p := range distserveProfiles {
		job := func(n, output int, hits scenario.Ratio) (*results.ServingRun, error) {
			return served(e, &scenario.Scenario{
				Cluster: scenario.Cluster{Nodes: 1, Node: scenario.Node{Preset: "dgx-a100", GPUs: p.gpus, NICs: p.gpus}}, Fabric: scenario.Fabric{Preset: "infiniband-hdr"},
				Serving: scenario.Serving{
					Model: p.model, Collocated: true, Prefill: scenario.Pool{Tensor: p.gpus}, Load: scenario.ServingLoad{Burst: n, Requests: n, Prompt: before, Output: output, PrefixHits: hits},
				},
			}, func(r *scenario.Resolved) { r.Serving.HostRequest, r.Serving.HostToken = 0, 0 })
		}
		for _, n := range []int{1, 4} {
			run, err := job(n, 1, scenario.Ratio{})
			if err != nil {
				return nil, err
			}
			tokens := float64(n * before)
			rows = append(rows, one(fmt.Sprintf("%s, %d × %d tokens of prompts", p.name, n, before), Microseconds, ms*(p.prompts[0]+p.prompts[1]*tokens+p.prompts[2]*tokens*before), float64(run.FirstToken.Mean), within(0.25), ""))
		}
		for _, n := range []int{1, 16, 64} {
			run, err := job(n, answer, scenario.Ratio{Num: 999, Den: 1000})
			if err != nil {
				return nil, err
			}
			rows = append(rows, one(fmt.Sprintf("%s, %d answers", p.name, n), Microseconds, ms*(p.answers[0]+p.answers[1]*float64(n*(before+answer/2))+p.answers[2]*float64(n)), float64(run.PerToken.Mean), within(0.25), p.note))
		}
	}
	return rows, nil
}
