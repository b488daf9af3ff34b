package llm

import (
	"math"
	"testing"
)

var (
	llama8   = Model{Layers: 32, Hidden: 4096, FFN: 14336, Gated: true, Heads: 32, KVHeads: 8, HeadDim: 128, Vocab: 128256}
	llama70  = Model{Layers: 80, Hidden: 8192, FFN: 28672, Gated: true, Heads: 64, KVHeads: 8, HeadDim: 128, Vocab: 128256}
	llama405 = Model{Layers: 126, Hidden: 16384, FFN: 53248, Gated: true, Heads: 128, KVHeads: 8, HeadDim: 128, Vocab: 128256}
	gpt3     = Model{Layers: 96, Hidden: 12288, FFN: 49152, Heads: 96, KVHeads: 96, HeadDim: 128, Vocab: 50257, Tied: true, Position: 2048}
	mixtral  = Model{Layers: 32, Hidden: 4096, Gated: true, Heads: 32, KVHeads: 8, HeadDim: 128, Vocab: 32000, Experts: 8, TopK: 2, ExpertFFN: 14336}
	deepseek = Model{
		Layers: 61, Hidden: 7168, FFN: 18432, Gated: true, Heads: 128, KVHeads: 128, HeadDim: 128, Vocab: 129280,
		Experts: 256, TopK: 8, Shared: 1, ExpertFFN: 2048, Dense: 3, QueryRank: 1536, KVRank: 512, RopeDim: 64,
	}
)

// The published names and totals: 8.03B, 70.6B and 405.9B (Llama 3 model cards), 175B
// (Brown et al. 2020), 46.7B (Mistral AI), 671B (DeepSeek-V3 report).
func TestParametersAreThePublishedOnes(t *testing.T) {
	for _, c := range []struct {
		name string
		m    Model
		want float64
	}{
		{"llama 3 8B", llama8, 8.03e9},
		{"llama 3 70B", llama70, 70.6e9},
		{"llama 3.1 405B", llama405, 405.9e9},
		{"gpt-3", gpt3, 174.6e9},
		{"mixtral 8x7B", mixtral, 46.7e9},
		{"deepseek-v3", deepseek, 671e9},
	} {
		if got := float64(c.m.Parameters()); math.Abs(got-c.want) > 0.002*c.want {
			t.Errorf("%s: %.4g parameters, published %.4g", c.name, got, c.want)
		}
	}
}

// Megatron-Bridge's performance summary (25.11, DGX-H100) has tokens and model TFLOP
// a second and GPU: their quotient is the operations of a token.
func TestOperationsOfATokenEqualMegatronBridges(t *testing.T) {
	for _, c := range []struct {
		name           string
		m              Model
		tokens, tflops float64
	}{
		{"llama 3 8B", llama8, 14451, 744}, {"llama 3 70B", llama70, 1602, 719}, {"llama 3.1 405B", llama405, 292, 737},
	} {
		want := c.tflops * 1e12 / c.tokens
		if got := c.m.StepFLOPs(8192); math.Abs(got-want) > 0.002*want {
			t.Errorf("%s: %.5g operations a token, published %.5g", c.name, got, want)
		}
	}
}
