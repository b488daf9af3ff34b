package llm

import (
	"math"
	"testing"

	"weft/units"
)

// served is Llama 3 8B on one H100.
func served() *Job {
	return &Job{
		Model: Model{Layers: 32, Hidden: 4096, FFN: 14336, Gated: true, Heads: 32, KVHeads: 8, HeadDim: 128, Vocab: 128256},
		GPU: GPU{
			Memory: 80 * units.GB, MemoryRate: 3350 * 8 * units.Gbps, Peak: 989e12, Matrix: 700e12, Width: 2, Head: 700e12, Attention: 500e12,
		},
		Parallel: Parallel{Tensor: 1, Context: 1, Data: 1, Pipeline: 1, Chunks: 1, Expert: 1}, Batch: Batch{Global: 1, Micro: 1, Sequence: 4096},
		Memory: Memory{Weight: 2}, Framework: 0.8,
	}
}

// A whole prompt takes the forward pass of a training step, but for the output embedding of one token instead of all.
func TestAPromptTakesAForwardPass(t *testing.T) {
	j := served()
	want := units.Time(0)
	for l := range j.Model.Layers {
		want += j.attentionBlock(l).forward.all() + j.feedForwardBlock(l).forward.all()
	}
	want = units.Time(float64(want+j.embedding()) / j.Framework)
	j.Model.Vocab = 0
	got := j.PassTime(&Pass{Chunks: []Chunk{{Tokens: 4096}}, Ends: 1})
	j.Model.Vocab = 128256
	head := j.PassTime(&Pass{Chunks: []Chunk{{Tokens: 4096}}, Ends: 1}) - got
	if diff := math.Abs(float64(got)/float64(want) - 1); diff > 0.001 || head <= 0 || head > want/100 {
		t.Errorf("%v and %v for one token's words, a forward pass takes %v", got, head, want)
	}
}

// The same operations: a prompt in two chunks has the attention of the second to the first.
func TestChunksAttendToWhatWasBefore(t *testing.T) {
	j := served()
	j.Model.Vocab = 0
	whole, parts := j.PassTime(&Pass{Chunks: []Chunk{{Tokens: 32768}}, Ends: 0}), j.PassTime(&Pass{Chunks: []Chunk{{Tokens: 16384}}, Ends: 0})+j.PassTime(&Pass{Chunks: []Chunk{{Past: 16384, Tokens: 16384}}, Ends: 0})
	if ratio := float64(parts) / float64(whole); ratio < 1 || ratio > 1.02 {
		t.Errorf("two chunks take %.4f of the time of one, want 1 to 1.02", ratio)
	}
}

// One token reads all weights: 8 billion of 2 bytes.
func TestATokenReadsTheWeights(t *testing.T) {
	j := served()
	weights := float64(j.Weights(0)) - 2*4096*128256 // a token's row of the input embedding is read, not all
	const kernels = 32 * (5 + 8)                     // of layers: five with the weights or the attention, eight around norms
	want := (weights/3350e9/stream + kernels*start) / j.Framework
	if got := j.PassTime(&Pass{Answers: 1, Context: 1000, Cache: 4096}).Seconds(); math.Abs(got/want-1) > 0.02 {
		t.Errorf("%.2f ms, want %.2f: the weights' traffic and the kernels' starts", got*1e3, want*1e3)
	}
}

// The attention reads the keys and values: 128 KiB of a token in all layers.
func TestLongContextsTakeTheirTraffic(t *testing.T) {
	j := served()
	d := j.PassTime(&Pass{Answers: 8, Context: 800_000, Cache: 4096}) - j.PassTime(&Pass{Answers: 8, Context: 400_000, Cache: 4096})
	want := 400_000 * 4096 * 32 / 3350e9 / stream
	if got := d.Seconds(); math.Abs(got/want-1) > 0.01 {
		t.Errorf("400,000 tokens more take %.3f ms, want %.3f", got*1e3, want*1e3)
	}
}

// Of 256 experts a token takes 8: weights of the others are not read.
func TestFewTokensReadFewExperts(t *testing.T) {
	j := served()
	j.Model.Experts, j.Model.TopK, j.Model.ExpertFFN, j.Model.Vocab = 256, 8, 2048, 0
	j.Parallel.WholeExperts, j.Batch.Sequence = true, 1
	one := j.feedForward(0)
	want := 8*3*4096*2048*2/3350e9 + 2*start
	if one < want || one > 1.5*want {
		t.Errorf("one token takes %.1f us, want %.1f and up to half more: the weights of 8 experts", one*1e6, want*1e6)
	}
	j.Batch.Sequence = 4096
	if all := j.feedForward(0); all < 20*one {
		t.Errorf("all experts take %.1f us, 8 of them %.1f", all*1e6, one*1e6)
	}
}

// Answers beside a prompt need no weights of their own, so together they take less time than apart, and more than the prompt
// alone.
func TestAnswersBesideAPromptReadNoWeights(t *testing.T) {
	j := served()
	chunks := []Chunk{{Tokens: 512}}
	prompt, answers := j.PassTime(&Pass{Chunks: chunks, Ends: 1}), j.PassTime(&Pass{Answers: 16, Context: 16_000, Cache: 4096})
	both := j.PassTime(&Pass{Chunks: chunks, Ends: 1, Answers: 16, Context: 16_000, Cache: 4096})
	if both <= prompt || both >= prompt+answers/2 {
		t.Errorf("a prompt takes %v, answers %v, both together %v", prompt, answers, both)
	}
}

// Guessed tokens read no weights and no keys and values of their own: beside 8 answers, 8 more tokens take the layers hardly
// more time, and the output embedding a second time. Where arithmetic decides they take as long as answers.
func TestGuessedTokensShareWhatIsRead(t *testing.T) {
	j := served()
	j.Model.Vocab = 0
	plain, guessed := j.PassTime(&Pass{Answers: 8, Context: 80_000, Cache: 4096}), j.PassTime(&Pass{Answers: 8, Drafts: 8, Context: 80_000, Cache: 4096})
	if guessed < plain || guessed > plain*21/20 {
		t.Errorf("8 answers take %v, with a guessed token each %v", plain, guessed)
	}
	latent := deepSeek()
	one, two := latent.answerScores(&Pass{Answers: 64, Context: 64 * 4000, Cache: 576}), latent.answerScores(&Pass{Answers: 64, Drafts: 64, Context: 64 * 4000, Cache: 576})
	if two != 2*one {
		t.Errorf("latent attention takes %g s, with guessed tokens %g: want twice as much", one, two)
	}
	j.Model.Vocab = 128256
	words := 2 * 4096 * 128256 / 3350e9 / stream / j.Framework
	got := (j.PassTime(&Pass{Answers: 8, Drafts: 8, Context: 80_000, Cache: 4096}) - guessed).Seconds()
	if math.Abs(got/2/words-1) > 0.05 {
		t.Errorf("the output embedding takes %.2f ms for guessed tokens and answers, want %.2f: it is read twice", got*1e3, 2*words*1e3)
	}
}
