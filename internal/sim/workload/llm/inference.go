package llm

import (
	"math"

	"weft/units"
)

// Chunk is a part of a prompt that is computed in one pass.
type Chunk struct {
	Past   int // tokens of the prompt before it
	Tokens int
}

// Pass is the tokens that go through a model together.
type Pass struct {
	Chunks []Chunk // of prompts
	Ends   int     // prompts that end, each of which goes through the output embedding with one token
	// Answers is the number of requests that get a token of their answer, Context the tokens before these in all, and Cache the
	// bytes of a token's keys and values that a GPU holds in a layer: the attention's kernel reads them.
	Answers int
	// Drafts is the number of further tokens of these answers that were guessed, and are computed to see which of them hold.
	Drafts  int
	Context int64
	Cache   int64
}

// PassTime is the time in which a GPU passes tokens forward through all layers, without communication: as a training step's
// forward pass, with attention to the tokens before.
func (j *Job) PassTime(p *Pass) units.Time {
	own := *j
	own.Batch = Batch{Micro: 1, Sequence: p.tokens()}
	if own.Batch.Sequence == 0 {
		return 0
	}
	return duration((own.layers(start+own.scores(p)) + own.embeddings(p)) / own.Framework)
}

// tokens is the number of a pass's tokens.
func (p *Pass) tokens() int {
	n := p.Answers + p.Drafts
	for _, c := range p.Chunks {
		n += c.Tokens
	}
	return n
}

// scores is the seconds of a layer's attention of a pass: of its kernel, without the kernel's start.
func (j *Job) scores(p *Pass) float64 {
	sum := j.answerScores(p)
	for _, c := range p.Chunks {
		sum += j.promptScores(c)
	}
	return sum
}

// promptScores is the seconds of a layer's attention of a chunk.
func (j *Job) promptScores(c Chunk) float64 {
	m := &j.Model
	operations := float64(m.Heads) * float64(2*m.HeadDim+m.RopeDim) * float64(c.Tokens) * float64(2*c.Past+c.Tokens)
	return operations / float64(j.Parallel.Tensor) / j.attentionRate(float64(c.Past+c.Tokens))
}

// answerScores is the seconds of a layer's attention of the tokens of answers.
func (j *Job) answerScores(p *Pass) float64 {
	m, g := &j.Model, &j.GPU
	each := float64(2 * m.HeadDim) // operations of a head for a token before, half of them
	if m.KVRank > 0 {              // queries meet the latents themselves
		each = float64(2*m.KVRank + m.RopeDim)
	}
	operations := 2 * float64(m.Heads) * each * float64(p.Context) / float64(j.Parallel.Tensor)
	operations *= 1 + float64(p.Drafts)/float64(max(1, p.Answers))
	return max(operations/g.Attention, g.streamed(float64(p.Context*p.Cache)))
}

// layers is the seconds of the batch's forward pass through all layers, given those of a layer's attention kernel.
func (j *Job) layers(kernel float64) float64 {
	m := &j.Model
	before, after := j.attention(kernel)
	sum := float64(m.Layers) * (before + after)
	if dense := m.denseLayers(); dense > 0 {
		sum += float64(dense) * j.feedForward(0)
	}
	if dense := m.denseLayers(); dense < m.Layers {
		sum += float64(m.Layers-dense) * j.feedForward(dense)
	}
	return sum
}

// attention is the seconds of a layer's attention: of the work before its kernel, and from the kernel on. The kernel's own
// seconds are given; the framework slows only the work around it.
func (j *Job) attention(kernel float64) (before, after float64) {
	m, g := &j.Model, &j.GPU
	tokens, tensor := float64(j.tokens()), float64(j.Parallel.Tensor)
	q, kv := float64(m.Heads*m.HeadDim)/tensor, float64(m.KVHeads*m.HeadDim)/tensor
	in, out := j.attentionProducts(tokens)
	return j.normed(8*float64(m.Hidden)) + g.streamed(tokens*2*(q+kv)) + g.ahead(in), j.Framework*kernel + g.ahead(out)
}

// embeddings is the seconds of the embeddings: of all tokens before the first layer, and after the last one of those of prompts
// that end and of answers.
func (j *Job) embeddings(p *Pass) float64 {
	m, g := &j.Model, &j.GPU
	if m.Vocab == 0 {
		return 0
	}
	head, h := *g, float64(m.Hidden)
	head.Matrix, head.Width = g.Head, 2
	words := func(rows int) product {
		return product{float64(rows), float64(m.Vocab) / float64(j.Parallel.Tensor), h, 1}
	}
	list := []product{words(p.Ends + p.Answers + p.Drafts)}
	if p.Drafts > 0 { // the next guesses
		list = append(list, words(p.Drafts))
	}
	return start + g.streamed(4*float64(j.tokens())*h) + head.ahead(list)
}

// denseLayers is the number of layers without experts.
func (m *Model) denseLayers() int {
	if m.Experts == 0 {
		return m.Layers
	}
	return min(m.Dense, m.Layers)
}

// feedForward is the seconds of a layer's feed-forward part.
func (j *Job) feedForward(layer int) float64 {
	m, g := &j.Model, &j.GPU
	here := 0.0
	if m.MoE(layer) {
		// The tokens of all groups choose among all experts: with few tokens some experts have none, and their
		// weights are not read.
		all := float64(j.tokens()) * float64(j.Parallel.Expert) / float64(j.Parallel.Tensor)
		chosen := 1 - math.Pow(1-float64(m.TopK)/float64(m.Experts), all)
		here = float64(m.Experts) / float64(j.Parallel.Expert) * chosen
	}
	in, out, width, moved := j.feedForwardProducts(layer, here)
	act := 2*float64(m.ffnMatrices()-1) + 2
	others := 2 * max(0, here-1) // experts but one, whose products begin with those of the first: a kernel has those of all
	return j.normed(8*float64(m.Hidden)) + g.streamed(float64(j.tokens())*(act*width+moved)) + g.ahead(in) + g.ahead(out) - others*start
}

// ahead is the seconds of products in the forward pass.
func (g *GPU) ahead(list []product) float64 {
	seconds, _, _ := g.products(list, 2)
	return seconds
}

// Weights is the memory of a GPU of a stage for its parameters.
func (j *Job) Weights(stage int) units.Bytes {
	dense, experts := j.parameters(stage)
	return units.Bytes((dense + experts) * j.Memory.Weight)
}
