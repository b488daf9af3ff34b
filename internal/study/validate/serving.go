package validate

import (
	"fmt"

	"weft/internal/sim/scenario"
	"weft/internal/study/serve"
)

// mooncakeTransfers are published transfers of keys and values: kvcache-ai/Mooncake@3b5a594,
// docs/source/performance/sglang/sglang-benchmark-results-v1.md (V).
var mooncakeTransfers = []struct {
	tokens int
	us     float64
	gbps   float64
}{
	{128, 2070, 23.79}, {256, 2580, 38.27}, {512, 2980, 66.18},
}

// qwen235 is Qwen3-235B-A22B (its config.json, R): 94 layers with 4 heads of keys and values.
var qwen235 = scenario.Model{
	Layers: 94, Hidden: 4096, FFN: 12288, Gated: true, Heads: 64, KVHeads: 4, HeadDim: 128, Vocab: 151936,
	Experts: 128, TopK: 8, ExpertFFN: 1536, Sequence: 4096,
}

func servingCases() []*Case {
	return []*Case{{
		ID:        "serving/kv-mooncake",
		Claim:     "Keys and values from one prefill to one decode node, beside a measured transfer.",
		Reference: "Measured: kvcache-ai/Mooncake@3b5a594, docs/source/performance/sglang/sglang-benchmark-results-v1.md: Qwen3-235B in BF16 with SGLang, tensor parallelism of 8 at both ends (V).",
		Setting: "Two nodes of 8 GPUs with 4 ports of 400 Gb/s, of which two GPUs share one (preset dgx-h100 with 4 NICs for H20; the GPU takes no part), RoCE v2 (preset roce-v2-400g), one switch. " +
			"4 heads of keys and values on 8 GPUs: each head is on two, and moves twice, as the published sizes say. All tokens of a layer lie together; slices of 64 KiB by WRITE.",
		Calibrated: "serving.kv.layer-time, 19 us, was fitted on the three rows of serving/kv-mooncake, which are therefore not scored: the least squares of their relative errors. They have too few tokens to tell a time for each layer from one for each transfer.",
		Run:        mooncakeRows,
	}}
}

func mooncakeRows(e *Env) ([]Row, error) {
	pool := scenario.Pool{Nodes: 1, Tensor: 8}
	file, err := scenario.New("serving", &scenario.Scenario{
		Cluster: scenario.Cluster{Nodes: 2, Node: scenario.Node{Preset: "dgx-h100", NICs: 4}}, Topology: scenario.Topology{Shape: scenario.SingleSwitch},
		Fabric: scenario.Fabric{Preset: "roce-v2-400g"}, Serving: scenario.Serving{Model: qwen235, Prefill: pool, Decode: pool},
	})
	if err != nil {
		return nil, err
	}
	r, err := file.Resolve()
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
