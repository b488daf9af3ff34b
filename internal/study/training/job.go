package training

import (
	"weft/internal/sim/workload/llm"
	"weft/internal/sim/workload/pipeline"
	"weft/scenario"
)

// trainingJob is a scenario's training job.
func trainingJob(r *scenario.Resolved) *llm.Job {
	t := &r.Training
	p := &t.Parallel
	schedule, _ := pipeline.KindOf(string(p.Schedule))
	model := ModelOf(&t.Model)
	model.MTP = t.Model.MTPLayers
	model.Layers += model.MTP
	return &llm.Job{
		Model: model,
		GPU:   GPUOf(&r.Cluster.Node.GPU, t.Precision),
		Parallel: llm.Parallel{
			Tensor: p.Tensor, Sequence: p.Sequence && p.Tensor > 1, Context: p.Context, Data: p.Data, Pipeline: p.Pipeline,
			Chunks: schedule.Chunks(p.Interleave), Schedule: schedule, Expert: p.Expert, WholeExperts: p.WholeExperts, ZeRO: p.ZeRO,
		},
		Batch:     llm.Batch{Global: t.Batch.Global, Micro: t.Batch.Micro, Sequence: t.Batch.Sequence},
		Memory:    widths(t),
		Framework: t.Framework.Float(),
		Kernels:   t.Exchange == scenario.ExchangeDispatch,
		Busiest:   busiest(r),
		PyTorch:   t.Backward == scenario.PyTorchBackward,
		Overlap:   llm.Overlap{Gradients: t.Overlap.Gradients, Parameters: t.Overlap.Parameters, Tensor: t.Overlap.Tensor, Context: t.Overlap.Context, Experts: t.Overlap.Experts, Prefetch: t.Overlap.Prefetch},
	}
}

// ModelOf is a scenario's model as package llm has it.
func ModelOf(m *scenario.Model) llm.Model {
	return llm.Model{
		Layers: m.Layers, Hidden: m.Hidden, FFN: m.FFN, Gated: m.Gated, Heads: m.Heads, KVHeads: m.KVHeads, HeadDim: m.HeadDim,
		Vocab: m.Vocab, Tied: m.Tied, Position: m.Positions,
		Experts: m.Experts, TopK: m.TopK, Shared: m.SharedExperts, ExpertFFN: m.ExpertFFN, Dense: m.DenseLayers,
		QueryRank: m.QueryRank, KVRank: m.KVRank, RopeDim: m.RopeDim,
	}
}

// GPUOf is a scenario's GPU with the rates that it reaches in a precision.
func GPUOf(g *scenario.GPU, p scenario.Precision) llm.GPU {
	peak, reached := g.Peak(p)
	width := 2.0
	if p == scenario.FP8 {
		width = 1
	}
	sustained := g.Sustained.Float()
	bf16 := float64(g.BF16) * sustained
	return llm.GPU{
		Memory: g.Memory, MemoryRate: g.MemoryRate, Multiprocessors: g.Multiprocessors,
		Peak: float64(peak), Matrix: float64(peak) * sustained * reached.Float(), Width: width,
		Head: bf16 * g.MatrixBF16.Float(), Attention: bf16 * g.Attention.Float(),
	}
}

var recomputes = map[scenario.Recompute]llm.Recompute{
	scenario.RecomputeNone: llm.RecomputeNone, scenario.RecomputeSelective: llm.RecomputeSelective, scenario.RecomputeFull: llm.RecomputeLayer,
	scenario.RecomputeNorms: llm.RecomputeNorms, scenario.RecomputeActivation: llm.RecomputeActivation, scenario.RecomputeAttention: llm.RecomputeAttention,
	scenario.RecomputeUpProjections: llm.RecomputeUpProjections, scenario.RecomputeDense: llm.RecomputeDense, scenario.RecomputeExperts: llm.RecomputeExperts,
	scenario.RecomputeProducts: llm.RecomputeProducts,
}

// widths are the sizes of a training job's numbers: mixed precision with Adam, whose master copy
// and moments have 32 bits each. Activations and parameters are sent in 16 bits, whatever the
// precision of the products; kernels of a library may send tokens to experts in 8 bits, as in DeepSeek-V3
// (arXiv 2412.19437, section 3.3.3).
func widths(t *scenario.Training) llm.Memory {
	m := llm.Memory{Activation: 2, Dispatch: 2, Weight: 2, Gradient: 4, Optimizer: 12, Bucket: t.Bucket}
	for _, part := range t.Recompute {
		m.Recompute |= recomputes[part]
	}
	if t.Gradients == scenario.GradientsBF16 {
		m.Gradient = 2
	}
	if t.Experts.Element == scenario.ElementFP8 {
		m.Dispatch = 1
	}
	return m
}
