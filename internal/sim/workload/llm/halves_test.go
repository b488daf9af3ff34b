package llm

import (
	"math"
	"testing"

	"weft/units"
)

// deepSeek is DeepSeek-V3 on 64 H100.
func deepSeek() *Job {
	j := served()
	j.Model = Model{
		Layers: 61, Hidden: 7168, FFN: 18432, Gated: true, Heads: 128, KVHeads: 128, HeadDim: 128, Vocab: 129280, QueryRank: 1536, KVRank: 512, RopeDim: 64,
		Experts: 256, TopK: 8, Shared: 1, ExpertFFN: 2048, Dense: 3,
	}
	j.GPU.Width, j.GPU.Matrix = 1, 1400e12
	j.Parallel.Data, j.Parallel.Expert, j.Parallel.WholeExperts = 64, 64, true
	return j
}

// Two halves of 64 answers are two passes of 64 answers in layers with experts, and one of 128 elsewhere.
func TestHalvesAreTwoPassesInLayersWithExperts(t *testing.T) {
	j := deepSeek()
	pass := func(answers, dense int) units.Time {
		own := *j
		own.Model.Layers, own.Model.Dense = dense, dense
		if dense == 0 {
			own.Model.Layers, own.Model.Dense, own.Model.Vocab = 58, 0, 0
		}
		return own.PassTime(&Pass{Answers: answers, Context: int64(answers) * 4000, Cache: 576})
	}
	h := j.Halves(&Pass{Answers: 128, Context: 128 * 4000, Cache: 576})
	got, want := h.Rest+2*58*(h.Before+h.After+h.Shared+h.Routed), pass(128, 3)+2*pass(64, 0)
	if math.Abs(float64(got)/float64(want)-1) > 1e-6 {
		t.Errorf("halves take %v, the passes %v", got, want)
	}
	if whole := j.PassTime(&Pass{Answers: 128, Context: 128 * 4000, Cache: 576}); got < whole*5/4 {
		t.Errorf("halves take %v, the undivided pass %v: want a quarter more, as weights are read twice", got, whole)
	}
}

// The experts of a GPU take what a kernel with all of them takes on H100, alone (aiconfigurator@095f58a5, h100_sxm,
// moe/sglang/0.5.10/wideep_generation_moe, uniform, 8 bits), if 128 tokens come from each of 8 to 128 GPUs. Tokens are
// permuted by the kernels that exchange them there.
func TestExpertsOfAGPUAreOneKernel(t *testing.T) {
	for gpus, want := range map[int]float64{8: 531.3, 32: 161.8, 64: 109.9, 128: 94.4} {
		j := deepSeek()
		j.Framework, j.Parallel.Expert, j.Batch = 1, gpus, Batch{Micro: 1, Sequence: 128}
		_, _, routed := j.experts(3)
		_, _, _, moved := j.feedForwardProducts(3, 256/float64(gpus))
		got := (routed - j.GPU.streamed(128*moved)) * 1e6
		if math.Abs(got/want-1) > 0.15 {
			t.Errorf("%d GPUs: the experts of one take %.1f us, measured %.1f", gpus, got, want)
		}
	}
}

// Attention with its projections takes what modules of two engines take on H100, within 20 %:
// 128 answers with 2,048 tokens before (aiconfigurator@095f58a5, h100_sxm: 265 us, mla/sglang/0.5.10/wideep_generation_mla;
// 352 us, mla/vllm/0.24.0/mla_generation_module, fp8_block).
func TestLatentAttentionTakesWhatModulesTake(t *testing.T) {
	j := deepSeek()
	h := j.Halves(&Pass{Answers: 256, Context: 256 * 2048, Cache: 576})
	if got := (h.Before + h.After).Seconds() * 1e6; got < 265/1.2 || got > 352*1.2 {
		t.Errorf("attention takes %.0f us, measured 265 and 352", got)
	}
}
