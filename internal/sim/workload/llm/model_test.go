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

// Megatron-Bridge's DeepSeek-V3 on 1,024 H100 (release 25.09, 4,096 tokens) has 1,297 tokens and 338 model TFLOP a second
// and GPU: those of a model that predicts a further word.
func TestAFurtherWordIsPartOfMegatronBridgesOperations(t *testing.T) {
	m := deepseek
	want := 338e12 / 1297
	if got := m.StepFLOPs(4096); math.Abs(got-want) < 0.03*want {
		t.Errorf("without it a token takes %.4g operations, published %.4g", got, want)
	}
	m.Layers, m.MTP = m.Layers+1, 1
	if got := m.StepFLOPs(4096); math.Abs(got-want) > 0.03*want {
		t.Errorf("%.4g operations a token, published %.4g", got, want)
	}
}

// A further word costs the last of two stages a layer, the product that joins it, and the output embedding once more; the
// first stage loses a layer to it.
func TestAFurtherWordIsOnTheLastStage(t *testing.T) {
	j := jobs()[0]
	j.Model.Layers, j.Parallel.Pipeline, j.Parallel.Chunks = 5, 2, 1
	more := j
	more.Model.Layers, more.Model.MTP = 6, 1
	if from, to := more.Layers(1, 0); from != 3 || to != 6 {
		t.Fatalf("the last stage has layers %d to %d", from, to)
	}
	one, _ := j.logits()
	if two, _ := more.logits(); two < 2*one-1 || two > 2*one+1 {
		t.Errorf("the output embedding takes %v, of one word %v", two, one)
	}
	if before, back := more.joined(4); before+back != 0 {
		t.Errorf("layer 4 of 5 joins for %v", before)
	}
	if before, back := more.joined(5); before <= 0 || back <= before {
		t.Errorf("joining takes %v and back %v", before, back)
	}
	if a, b := j.Use(1), more.Use(1); b.Logits != 2*a.Logits || b.Weights <= a.Weights {
		t.Errorf("memory %+v without and %+v with a further word", a, b)
	}
}
