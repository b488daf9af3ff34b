package llm

import (
	"weft/internal/sim/collective"
	"weft/internal/sim/workload"
	"weft/internal/sim/workload/pipeline"
	"weft/units"
)

// forward adds a micro-batch's forward pass through a chunk.
func (r *rankBuilder) forward(w pipeline.Work) {
	p := &r.Parallel
	first := w.Chunk == 0 && r.at.stage == 0
	last := w.Chunk == p.Chunks-1 && r.at.stage == p.Pipeline-1
	if !first {
		of := w
		if r.at.stage == 0 {
			of.Chunk--
		}
		r.take(w, of)
	}
	from, to := r.Layers(r.at.stage, w.Chunk)
	end := r.after
	r.after = nil
	for l := from; l < to; l++ {
		r.wait(end...)
		if w.Micro == 0 {
			r.wait(r.needed[[2]int{w.Chunk, l}]...)
		}
		end = r.layerForward(l)
	}
	r.wait(end...)
	if last {
		r.compute("logits", r.logits())
		return
	}
	r.give(w)
}

// layerForward adds a layer; its dependencies are already recorded. It returns the last operations.
func (r *rankBuilder) layerForward(l int) []int32 {
	if r.Parallel.ZeRO == 3 {
		r.gatherLayer(l)
	}
	attention := r.attentionBlock(l)
	end := r.divided(func() []int32 {
		return r.attended(collective.AllGather, func() []int32 { return []int32{r.compute("attention", attention.forward)} })
	})
	r.wait(end...)
	ffn := r.feedForwardBlock(l)
	return r.divided(func() []int32 {
		return r.routed(l, func() []int32 { return []int32{r.compute("feed-forward", ffn.forward)} })
	})
}

// backward adds a micro-batch's backward pass through a chunk.
func (r *rankBuilder) backward(w pipeline.Work) {
	p := &r.Parallel
	first := w.Chunk == 0 && r.at.stage == 0
	last := w.Chunk == p.Chunks-1 && r.at.stage == p.Pipeline-1
	if !last {
		of := w
		if r.at.stage == p.Pipeline-1 {
			of.Chunk++
		}
		r.take(w, of)
	} else {
		r.wait(r.compute("logits", 2*r.logits()))
	}
	from, to := r.Layers(r.at.stage, w.Chunk)
	end := r.after
	r.after = nil
	final := w.Micro == r.Micros()-1
	for l := to - 1; l >= from; l-- {
		r.wait(end...)
		end = r.layerBackward(l)
		if final && r.Overlap.Gradients || p.ZeRO >= 2 {
			r.filled(w.Chunk, l, end)
		}
	}
	if !first {
		r.wait(end...)
		r.give(w)
	}
}

// filled adds the reduction of a bucket if a layer's backward pass has filled it.
func (r *rankBuilder) filled(chunk, layer int, end []int32) {
	for i, b := range r.buckets[r.at.stage] {
		if b.chunk == chunk && b.last == layer {
			r.wait(int32(len(r.ops) - 1))
			r.wait(end...)
			r.reduce(i)
		}
	}
}

// layerBackward adds a layer's backward pass.
func (r *rankBuilder) layerBackward(l int) []int32 {
	if r.Parallel.ZeRO == 3 {
		r.gatherLayer(l)
	}
	if r.Memory.Recompute == RecomputeFull {
		r.wait(r.layerForward(l)...)
	}
	ffn := r.feedForwardBlock(l)
	end := r.dividedBack(ffn.backward, func(t units.Time) []int32 {
		return r.routed(l, func() []int32 { return []int32{r.compute("feed-forward", t)} })
	})
	r.wait(end...)
	attention := r.attentionBlock(l)
	return r.dividedBack(attention.backward, func(t units.Time) []int32 {
		return r.attended(collective.ReduceScatter, func() []int32 { return []int32{r.compute("attention", t)} })
	})
}

// residual is the bytes of the residual stream of a micro-batch, at every stage.
func (r *rankBuilder) residual() []units.Bytes {
	return r.uniform(r.tokens() * int64(r.Model.Hidden) * r.Memory.Activation)
}

// tensor adds a collective of the residual stream.
func (r *rankBuilder) tensor(do collective.Op) int32 {
	return r.collective(tensorGroups, workload.Tensor, do, r.residual())
}

// divided adds a part of a layer that tensor parallelism divides: with sequence parallelism the
// tokens are gathered before and the sums scattered after (Korthikanti et al. 2022, section 4.2.2),
// without it the sums are reduced after.
//
// With overlap, the collectives begin with the part, as if the products were cut into pieces
// (userbuffers of Transformer Engine): only the longer of the two shows. That is the best possible
// overlap.
func (r *rankBuilder) divided(part func() []int32) []int32 {
	before := r.after
	if !r.Parallel.Sequence {
		end := part()
		if r.Overlap.Tensor {
			r.after = before
		} else {
			r.wait(end...)
		}
		return r.joined(end, r.tensor(collective.AllReduce))
	}
	r.after = before
	if gathered := r.tensor(collective.AllGather); gathered == none || r.Overlap.Tensor {
		r.after = before
	} else {
		r.after = []int32{gathered}
	}
	end := part()
	if r.Overlap.Tensor {
		r.after = before
	} else {
		r.wait(end...)
	}
	return r.joined(end, r.tensor(collective.ReduceScatter))
}

// joined are the ends of a part and of its last collective.
func (r *rankBuilder) joined(end []int32, after int32) []int32 {
	r.after = nil
	if after == none {
		return end
	}
	if r.Overlap.Tensor {
		return append(end, after)
	}
	return []int32{after}
}

// dividedBack is divided in the backward pass, in two halves: the gradient of the input, and the
// gradient of the weights. The saved input is gathered during the first half, and the sums are
// scattered during the second, as in Megatron-LM.
func (r *rankBuilder) dividedBack(t units.Time, part func(t units.Time) []int32) []int32 {
	before := r.after
	if !r.Parallel.Sequence {
		end := part(t / 2)
		r.wait(end...)
		sums := r.tensor(collective.AllReduce)
		r.after = nil
		weights := r.compute("weights", t-t/2)
		if sums == none {
			return []int32{weights}
		}
		return []int32{weights, sums}
	}
	if gathered := r.tensor(collective.AllGather); gathered != none && !r.Overlap.Tensor {
		r.after = []int32{gathered}
	} else {
		r.after = before
	}
	waits := r.after
	saved := r.tensor(collective.AllGather)
	r.after = waits
	end := part(t / 2)
	if r.Overlap.Tensor {
		r.after = before
	} else {
		r.wait(end...)
	}
	sums := r.tensor(collective.ReduceScatter)
	r.after = nil
	r.wait(end...)
	r.wait(saved)
	weights := r.compute("weights", t-t/2)
	if sums == none {
		return []int32{weights}
	}
	return []int32{weights, sums}
}

// attended adds attention whose keys and values are divided by context parallelism: they are
// gathered before; in the backward pass their gradients are scattered too. With overlap, the
// attention begins with the local part (ring attention).
func (r *rankBuilder) attended(do collective.Op, part func() []int32) []int32 {
	m := &r.Model
	if r.Parallel.Context == 1 {
		return part()
	}
	bytes := r.uniform(2 * int64(m.KVHeads*m.HeadDim) * int64(r.Batch.Micro*r.Batch.Sequence) / int64(r.Parallel.Tensor) * r.Memory.Activation)
	before := r.after
	gathered := r.collective(contextGroups, workload.Context, collective.AllGather, bytes)
	if r.Overlap.Context {
		r.after = before
	} else {
		r.after = []int32{gathered}
	}
	end := part()
	if r.Overlap.Context {
		end = append(end, gathered)
	}
	if do != collective.ReduceScatter {
		return end
	}
	if r.Overlap.Context {
		r.after = before
	} else {
		r.wait(end...)
	}
	scattered := r.collective(contextGroups, workload.Context, do, bytes)
	r.after = nil
	if r.Overlap.Context {
		return append(end, scattered)
	}
	return []int32{scattered}
}

// routed adds a feed-forward part whose tokens go to experts and back.
func (r *rankBuilder) routed(l int, part func() []int32) []int32 {
	if !r.Model.MoE(l) || r.Parallel.Expert == 1 {
		return part()
	}
	tokens := r.tokens() * int64(r.Model.TopK) / int64(r.Parallel.Tensor) * int64(r.Model.Hidden)
	there := r.collective(expertGroups, workload.Expert, collective.AllToAll, r.uniform(tokens*r.Memory.Dispatch))
	r.wait(there)
	r.wait(part()...)
	back := r.collective(expertGroups, workload.Expert, collective.AllToAll, r.uniform(tokens*r.Memory.Activation))
	return []int32{back}
}

// gatherLayer gathers a layer's parameters (ZeRO 3) during the computation of the layer before: it
// waits for the first operations of that layer.
func (r *rankBuilder) gatherLayer(l int) {
	before := r.after
	r.after = nil
	if n := len(r.starts); n > 1 {
		r.wait(r.starts[n-2])
	}
	m, p := &r.Model, &r.Parallel
	dense := r.uniform(m.Layer(l) / int64(p.Tensor) * r.Memory.Weight)
	experts := r.uniform(m.Routed(l) / int64(p.Tensor*p.Expert) * r.Memory.Weight)
	waits := r.after
	gathered := r.collective(dataGroups, workload.Data, collective.AllGather, dense)
	r.after = waits
	more := r.collective(expertDataGroups, workload.Data, collective.AllGather, experts)
	r.after = before
	r.wait(gathered, more)
	r.starts = append(r.starts, int32(len(r.ops)))
}
