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

// PrefillTime is the time in which a GPU passes the chunks of prompts forward through all layers, without
// communication: as a training step's forward pass, with attention to the tokens before. ends is the
// number of prompts that end, each of which goes through the output embedding with one token.
func (j *Job) PrefillTime(chunks []Chunk, ends int) units.Time {
	own := *j
	m := &own.Model
	own.Batch = Batch{Micro: 1}
	scores := 0.0 // seconds of the attention's kernel
	for _, c := range chunks {
		own.Batch.Sequence += c.Tokens
		operations := float64(m.Heads) * float64(2*m.HeadDim+m.RopeDim) * float64(c.Tokens) * float64(2*c.Past+c.Tokens)
		scores += operations / float64(own.Parallel.Tensor) / own.attentionRate(float64(c.Past+c.Tokens))
	}
	if own.Batch.Sequence == 0 {
		return 0
	}
	return own.forward(own.Framework*(start+scores), ends)
}

// DecodeTime is the time in which a GPU computes a token of each of a number of requests that have a
// number of tokens before it in all, without communication. cache is the bytes of a token's keys and
// values that the GPU holds in a layer: the attention's kernel reads them.
func (j *Job) DecodeTime(requests int, context, cache int64) units.Time {
	own := *j
	m, g := &own.Model, &own.GPU
	own.Batch = Batch{Micro: 1, Sequence: requests}
	each := float64(2 * m.HeadDim) // operations of a head for a token before, half of them
	if m.KVRank > 0 {              // queries meet the latents themselves
		each = float64(2*m.KVRank + m.RopeDim)
	}
	operations := 2 * float64(m.Heads) * each * float64(context) / float64(own.Parallel.Tensor)
	kernel := start + max(operations/g.Attention, g.streamed(float64(context*cache)))
	return own.forward(own.Framework*kernel, requests)
}

// forward is the time of the batch's forward pass through all layers, given the time of a layer's attention
// kernel and the number of tokens that go through the output embedding.
func (j *Job) forward(kernel float64, outputs int) units.Time {
	m, g := &j.Model, &j.GPU
	tokens := float64(j.tokens())
	h, tensor := float64(m.Hidden), float64(j.Parallel.Tensor)
	q, kv := float64(m.Heads*m.HeadDim)/tensor, float64(m.KVHeads*m.HeadDim)/tensor
	in, out := j.attentionProducts(tokens)
	attention := kernel + j.normed(8*h) + g.streamed(tokens*2*(q+kv)) + g.ahead(in) + g.ahead(out)
	sum := float64(m.Layers) * attention
	for _, kind := range []struct{ layer, count int }{{0, m.denseLayers()}, {m.denseLayers(), m.Layers - m.denseLayers()}} {
		if kind.count > 0 {
			sum += float64(kind.count) * j.feedForward(kind.layer)
		}
	}
	head := *g
	head.Matrix, head.Width = g.Head, 2
	if m.Vocab > 0 {
		sum += start + g.streamed(4*tokens*h) + head.ahead([]product{{float64(outputs), float64(m.Vocab) / tensor, h, 1}})
	}
	return duration(sum / j.Framework)
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
	return j.normed(8*float64(m.Hidden)) + g.streamed(float64(j.tokens())*(act*width+moved)) + g.ahead(in) + g.ahead(out)
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
