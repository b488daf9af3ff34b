package llm

import (
	"math"

	"weft/units"
)

// attentionBackward is the number of the attention kernel's operations in the backward pass for
// each operation of the forward pass: it computes the scores again (Dao 2023, section 4.1).
const attentionBackward = 2.5

// block is the times of one of the two parts of a layer: of the products before, of the work in the
// middle, and of the products after; in the backward pass also of the weights' gradients.
type block struct {
	forward, backward pass
	weights           units.Time
}

// pass is a part of a layer in one direction, in the order of its work.
type pass struct{ in, middle, out units.Time }

// all is the time of a pass.
func (p pass) all() units.Time { return p.in + p.middle + p.out }

// blockOf is a block of the products before and after, with the seconds of the work in the middle.
func (j *Job) blockOf(in, out []product, middle, middleBack float64) block {
	inF, inB, inW := j.GPU.products(in, j.Memory.Gradient)
	outF, outB, outW := j.GPU.products(out, j.Memory.Gradient)
	return block{
		forward:  pass{duration(inF), duration(middle), duration(outF)},
		backward: pass{duration(outB), duration(middleBack), duration(inB)},
		weights:  duration((inW + outW)),
	}
}

// attentionBlock is the times of a layer's attention for a micro-batch on one GPU.
func (j *Job) attentionBlock(layer int) block {
	m, g := &j.Model, &j.GPU
	tokens, tensor := float64(j.tokens()), float64(j.Parallel.Tensor)
	h, q, kv := float64(m.Hidden), float64(m.Heads*m.HeadDim)/tensor, float64(m.KVHeads*m.HeadDim)/tensor
	in, out := j.attentionProducts(tokens)
	_, scores := m.Forward(layer, j.Batch.Sequence)
	sequence := float64(j.Batch.Sequence)
	rate := j.attentionRate(sequence)
	kernel := j.Framework * (start + scores*tokens/tensor/rate) // one long kernel: the framework slows only the work around it
	forward := j.normed(8*h) + g.streamed(tokens*2*(q+kv))
	backward := j.normed(10*h) + g.streamed(tokens*2*(q+kv))
	backward += j.attentionAgain(in, out, kernel, g.streamed(tokens*2*(q+kv)))
	return j.blockOf(in, out, kernel+forward, attentionBackward/attentionBackwardRate*kernel+backward)
}

// attentionProducts are the products before and after the attention's kernel of a number of tokens.
func (j *Job) attentionProducts(tokens float64) (in, out []product) {
	m, tensor := &j.Model, float64(j.Parallel.Tensor)
	h, q, kv := float64(m.Hidden), float64(m.Heads*m.HeadDim)/tensor, float64(m.KVHeads*m.HeadDim)/tensor
	in = []product{{tokens, q + 2*kv, h, 1}}
	if m.KVRank > 0 {
		rope := float64(m.RopeDim)
		query, keys := float64(m.QueryRank), float64(m.KVRank)
		in = []product{
			{tokens, query + keys + rope, h, 1},
			{tokens, q + float64(m.Heads)*rope/tensor, query, 1},
			{tokens, 2 * q, keys, 1},
		}
	}
	return in, []product{{tokens, h, q, 1}}
}

// attentionRate is the rate of the attention's kernel for sequences of a length.
func (j *Job) attentionRate(sequence float64) float64 {
	return j.GPU.Attention * sequence / (sequence + attentionRamp) * min(1, math.Sqrt(math.Sqrt(float64(j.Model.HeadDim)/128)))
}

// normed is the time of a layer's norm and of its addition to the residual stream, with a number of
// bytes for each token, in four kernels.
func (j *Job) normed(bytes float64) float64 {
	if j.Parallel.Sequence {
		bytes /= float64(j.Parallel.Tensor)
	}
	return 4*start + j.GPU.streamed(bytes*float64(j.tokens()))
}

// feedForwardBlock is the times of a layer's feed-forward part for a micro-batch on one GPU.
func (j *Job) feedForwardBlock(layer int) block {
	m, g := &j.Model, &j.GPU
	tokens := float64(j.tokens())
	here := float64(m.Experts) / float64(j.Parallel.Expert)
	in, out, width, moved := j.feedForwardProducts(layer, here)
	if j.Parallel.Expert > 1 && here > 1 && !j.Kernels {
		moved *= 2 // an all-to-all delivers tokens by sender: a second permutation sorts them by expert (Megatron-LM@d98e8a64, token_dispatcher.py)
	}
	act := 2*float64(m.ffnMatrices()-1) + 2
	forward := j.normed(8*float64(m.Hidden)) + g.streamed(tokens*(act*width+moved))
	backward := j.normed(10*float64(m.Hidden)) + g.streamed(tokens*((2*act-2)*width+moved))
	backward += j.feedForwardAgain(layer, in, g.streamed(tokens*act*width))
	return j.blockOf(in, out, forward, backward)
}

// feedForwardProducts are the products of a layer's feed-forward part, of whose routed experts a GPU
// computes a number. width is the numbers of each token between the matrices, and moved the bytes of
// each token that are permuted for the experts.
func (j *Job) feedForwardProducts(layer int, here float64) (in, out []product, width, moved float64) {
	m := &j.Model
	tokens, tensor, h := float64(j.tokens()), float64(j.Parallel.Tensor), float64(m.Hidden)
	up := float64(m.ffnMatrices() - 1)
	add := func(rows, ffn, times float64) {
		if rows*ffn*times > 0 {
			in = append(in, product{rows, up * ffn / tensor, h, times})
			out = append(out, product{rows, h, ffn / tensor, times})
			width += rows * ffn * times / tensor / tokens
		}
	}
	if m.MoE(layer) {
		rows, ffn := tokens*float64(m.TopK)/here, float64(m.ExpertFFN)
		if j.Busiest > 0 {
			rows *= j.Busiest
		}
		if j.Parallel.WholeExperts { // each GPU of a layer sends its part of the tokens
			rows, ffn = rows/tensor, ffn*tensor
		}
		add(rows, ffn, here)
		add(tokens, float64(m.Shared*m.ExpertFFN), 1)
		in = append(in, product{tokens / tensor, float64(m.Experts), h, 1})
		moved = 8 * float64(m.TopK) * h / tensor // permuted, and put back
	} else {
		add(tokens, float64(m.FFN), 1)
	}
	return in, out, width, moved
}

// joined is the time of the product before a layer that predicts a further word, and of the two of its backward pass: of
// a layer's result and an embedding, which have norms of their own.
func (j *Job) joined(layer int) (forward, backward units.Time) {
	if !j.Model.predicts(layer) {
		return 0, 0
	}
	h := float64(j.Model.Hidden)
	f, in, weights := j.GPU.products([]product{{float64(j.tokens()), h / float64(j.Parallel.Tensor), 2 * h, 1}}, j.Memory.Gradient)
	norms := j.normed(8 * h)
	return duration(f + norms), duration(in + weights + norms)
}

// logits is the time of the output embedding's product in the forward pass, and of its two products
// in the backward pass, always in 16 bits; with the loss, of which 12 bytes a word are moved. Each further word that is
// predicted takes as long.
func (j *Job) logits() (forward, backward units.Time) {
	g := j.GPU
	if j.Model.Vocab == 0 {
		return 0, 0
	}
	g.Matrix, g.Width = g.Head, 2
	tokens, words := float64(j.tokens()), float64(j.Model.Vocab)/float64(j.Parallel.Tensor)
	f, in, weights := g.products([]product{{tokens, words, float64(j.Model.Hidden), 1}}, j.Memory.Gradient)
	loss := g.streamed(6 * tokens * words)
	each := float64(1 + j.Model.MTP)
	return duration(each * (f + loss)), duration(each * (in + weights + loss))
}

// embedding is the time of looking up the input embedding: 4 bytes for each of a token's numbers;
// twice as long backward.
func (j *Job) embedding() units.Time {
	if j.Model.Vocab == 0 {
		return 0
	}
	return duration(start + j.GPU.streamed(4*float64(j.tokens())*float64(j.Model.Hidden)))
}

// optimizerTraffic is the memory traffic of Adam for a parameter, in bytes, without the weight that
// it writes: gradient, master copy and two moments read, the last three written.
const optimizerTraffic = 4 + 3*4 + 3*4

// optimizer is the time of Adam's step on a GPU of a stage: it is bound by memory.
func (j *Job) optimizer(stage int) units.Time {
	dense, experts := j.parameters(stage)
	p := &j.Parallel
	if p.ZeRO > 0 {
		dense /= p.replicas()
		experts /= p.expertReplicas()
	}
	return duration(j.GPU.streamed(float64(dense+experts) * float64(optimizerTraffic+j.Memory.Weight)))
}
