package llm

import (
	"weft/internal/sim/collective"
	"weft/internal/sim/workload"
	"weft/internal/sim/workload/pipeline"
	"weft/units"
)

// forward adds a micro-batch's forward pass through a chunk.
func (r *rankBuilder) forward(w pipeline.Work) {
	first, last := r.ends(r.at.stage, w.Chunk)
	r.take(w)
	from, to := r.Layers(r.at.stage, w.Chunk)
	r.parameters(w.Chunk, from)
	if first {
		r.wait(r.compute("embedding", r.embedding()))
	}
	for l := from; l < to; l++ {
		if l > from {
			r.parameters(w.Chunk, l)
		}
		r.gatherLayer(l, false)
		if joined, _ := r.joined(l); joined > 0 {
			r.wait(r.compute("prediction", joined))
		}
		r.wait(r.layer(l)...)
	}
	if last {
		forward, _ := r.logits()
		r.compute("logits", forward)
		return
	}
	r.give(w)
}

// parameters waits for the gathering of the parameters of a layer and those after it.
func (r *rankBuilder) parameters(chunk, layer int) {
	at := [2]int{chunk, layer}
	r.wait(r.needed[at]...)
	delete(r.needed, at)
}

// layer adds a layer's forward pass; its dependencies are already recorded. It returns the last
// operations.
func (r *rankBuilder) layer(l int) []int32 {
	attention := r.attentionBlock(l).forward
	end := r.divided("attention", attention, func(t units.Time) []int32 {
		return r.attended(collective.AllGather, func() []int32 { return []int32{r.compute("attention", t)} })
	})
	r.wait(end...)
	return r.feedForward(l)
}

// feedForward adds a layer's feed-forward part.
func (r *rankBuilder) feedForward(l int) []int32 {
	ffn := r.feedForwardBlock(l).forward
	if r.stops {
		if r.Parallel.Sequence {
			r.wait(r.tensor(collective.AllGather, 1, 1))
		}
		return []int32{r.compute("feed-forward", ffn.in+ffn.middle)}
	}
	r.apart = r.routedApart(l)
	defer func() { r.apart = false }()
	return r.divided("feed-forward", ffn, func(t units.Time) []int32 {
		return r.routed(l, func() []int32 { return []int32{r.compute("feed-forward", t)} })
	})
}

// backward adds a micro-batch's backward pass through a chunk: all of it, or the gradients of the
// inputs. sends says that full buckets of gradients are reduced.
func (r *rankBuilder) backward(w pipeline.Work, sends bool) {
	first, last := r.ends(r.at.stage, w.Chunk)
	r.take(w)
	if last {
		_, backward := r.logits()
		r.wait(r.compute("logits", backward))
	}
	from, to := r.Layers(r.at.stage, w.Chunk)
	whole := w.Pass == pipeline.Backward
	for l := to - 1; l >= from; l-- {
		end := r.layerBackward(l, whole)
		if _, joined := r.joined(l); joined > 0 {
			r.wait(end...)
			end = []int32{r.compute("prediction", joined)}
		}
		if sends && whole {
			r.filled(w.Chunk, l, end)
		}
		r.wait(end...)
	}
	if sends && whole && from == to {
		end := r.after
		r.after = nil
		r.filled(w.Chunk, from, end)
		r.wait(end...)
	}
	if first {
		r.compute("embedding", 2*r.embedding())
		return
	}
	r.give(w)
}

// weights adds the gradients of the weights of a chunk.
func (r *rankBuilder) weights(w pipeline.Work, sends bool) {
	from, to := r.Layers(r.at.stage, w.Chunk)
	for l := to - 1; l >= from; l-- {
		attention, ffn := r.attentionBlock(l), r.feedForwardBlock(l)
		end := r.compute("weights", attention.weights+ffn.weights)
		if sends {
			r.filled(w.Chunk, l, []int32{end})
		}
	}
	if sends && from == to {
		r.filled(w.Chunk, from, nil)
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

// layerBackward adds a layer's backward pass; its dependencies are already recorded. whole says that
// the gradients of the weights are part of it.
func (r *rankBuilder) layerBackward(l int, whole bool) []int32 {
	r.gatherLayer(l, true)
	switch {
	case r.Memory.Recompute.has(RecomputeLayer):
		r.stops = r.PyTorch && !r.Model.MoE(l)
		r.wait(r.layer(l)...)
		r.stops = false
	case r.feedForwardWhole(l):
		r.wait(r.feedForward(l)...)
	}
	ffn, attention := r.feedForwardBlock(l), r.attentionBlock(l)
	if !whole {
		ffn.weights, attention.weights = 0, 0
	}
	r.apart = r.routedApart(l)
	end := r.dividedBack("feed-forward", ffn, func(t units.Time) []int32 {
		return r.routed(l, func() []int32 { return []int32{r.compute("feed-forward", t)} })
	})
	r.apart = false
	r.wait(end...)
	return r.dividedBack("attention", attention, func(t units.Time) []int32 {
		return r.attended(collective.ReduceScatter, func() []int32 { return []int32{r.compute("attention", t)} })
	})
}

// tensor adds a collective of a part of the residual stream.
func (r *rankBuilder) tensor(do collective.Op, parts, of int64) int32 {
	if r.apart {
		return none
	}
	bytes := r.tokens() * int64(r.Model.Hidden) * r.Memory.Activation
	return r.collective(tensorGroups, workload.Tensor, do, r.uniform(bytes*parts/of))
}

// divided adds a part of a layer that tensor parallelism divides: with sequence parallelism the
// tokens are gathered before and the sums scattered after (Korthikanti et al. 2022, section 4.2.2),
// without it the sums are reduced after. middle adds the part's work between its products.
func (r *rankBuilder) divided(name string, t pass, middle func(units.Time) []int32) []int32 {
	if r.piecewise() {
		r.into(name, t.in)
		return r.outOf(name, t.out, middle(t.middle))
	}
	do := collective.AllReduce
	if r.Parallel.Sequence {
		do = collective.ReduceScatter
		r.wait(r.tensor(collective.AllGather, 1, 1))
	}
	end := middle(t.all())
	r.wait(end...)
	if after := r.tensor(do, 1, 1); after != none {
		return []int32{after}
	}
	r.after = nil
	return end
}

// piecewise reports whether products are cut into pieces that run beside their collectives.
func (r *rankBuilder) piecewise() bool { return r.Overlap.Tensor && r.Parallel.Tensor > 1 && !r.apart }

// into adds the products before the work in the middle: with sequence parallelism the tokens of the
// other GPUs arrive one after the other while the products of earlier ones run (userbuffers of
// Transformer Engine), so that those of the last tokens wait for the whole gathering. The next
// operation waits for all of it.
func (r *rankBuilder) into(name string, t units.Time) {
	if !r.Parallel.Sequence {
		if t > 0 {
			r.wait(r.compute(name+" in", t))
		}
		return
	}
	before := r.after
	gathered := r.tensor(collective.AllGather, 1, 1)
	if t == 0 {
		r.after = []int32{gathered}
		return
	}
	r.after = before
	last := t / units.Time(r.Parallel.Tensor)
	r.compute(name+" in", t-last)
	r.wait(gathered)
	r.wait(r.compute(name+" in", last))
}

// scatters is the number of pieces in which sums are scattered beside the products that they come
// from; that of the last piece runs alone (Transformer Engine's default).
const scatters = 4

// outOf adds the products after the work in the middle, whose ends are given, and the sums.
func (r *rankBuilder) outOf(name string, t units.Time, middle []int32) []int32 {
	do := collective.AllReduce
	if r.Parallel.Sequence {
		do = collective.ReduceScatter
	}
	r.wait(middle...)
	if t == 0 {
		return []int32{r.tensor(do, 1, 1)}
	}
	first := r.compute(name+" out", t/scatters)
	r.wait(first)
	r.tensor(do, scatters-1, scatters)
	r.wait(first)
	r.wait(r.compute(name+" out", t-t/scatters))
	return []int32{r.tensor(do, 1, scatters)}
}

// dividedBack is divided in the backward pass. Then the gradients of the weights follow: the sums
// are scattered beside them, and the saved input that they need is gathered again beside the
// gradients of the inputs, as in Megatron-LM.
func (r *rankBuilder) dividedBack(name string, t block, middle func(units.Time) []int32) []int32 {
	if r.PyTorch && !r.piecewise() {
		return r.dividedInOrder(t, middle)
	}
	back := t.backward
	before := r.after
	saved, do := none, collective.AllReduce
	switch {
	case !r.Parallel.Sequence:
	case r.piecewise():
		r.into(name, back.in)
		before, back.in = r.after, 0
	default:
		r.wait(r.tensor(collective.AllGather, 1, 1))
		before = r.after
	}
	if r.Parallel.Sequence {
		do = collective.ReduceScatter
		r.after = before
		saved = r.tensor(collective.AllGather, 1, 1)
	}
	r.after = before
	end := middle(back.all())
	r.wait(end...)
	sums := r.tensor(do, 1, 1)
	r.after = nil
	if t.weights > 0 {
		if !r.order.Paired() { // else beside the tokens' way to their experts and back
			r.wait(end...)
			end = nil
		}
		r.wait(saved)
		end = append(end, r.compute("weights", t.weights))
	}
	if sums != none {
		end = append(end, sums)
	}
	return end
}

// dividedInOrder is dividedBack with PyTorch's DTensor: a product's two gradients are one operation of
// autograd, and the sums follow it. The gathered input was kept; it is gathered again if it is
// recomputed without the whole layer.
func (r *rankBuilder) dividedInOrder(t block, middle func(units.Time) []int32) []int32 {
	do := collective.AllReduce
	if r.Parallel.Sequence {
		do = collective.ReduceScatter
		if r.Memory.Recompute.has(RecomputeNorms | RecomputeProducts) {
			r.wait(r.tensor(collective.AllGather, 1, 1))
		}
		r.wait(r.tensor(collective.AllGather, 1, 1))
	}
	end := middle(t.backward.all())
	if t.weights > 0 {
		r.wait(end...)
		end = []int32{r.compute("weights", t.weights)}
	}
	r.wait(end...)
	if sums := r.tensor(do, 1, 1); sums != none {
		return []int32{sums}
	}
	r.after = nil
	return end
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
	there := r.exchange(workload.Dispatch, tokens*r.Memory.Dispatch)
	r.wait(there)
	r.wait(part()...)
	back := r.exchange(workload.Combine, tokens*r.Memory.Activation)
	return []int32{back}
}

// routedApart reports whether a layer's tokens go to their experts from the GPUs that hold them, so
// that tensor parallelism gathers none: its experts are whole, and none is shared.
func (r *rankBuilder) routedApart(l int) bool {
	return r.Parallel.WholeExperts && r.Model.MoE(l) && r.Model.Shared == 0
}

// gatherLayer gathers a layer's parameters (ZeRO 3) while the layers before it compute.
func (r *rankBuilder) gatherLayer(l int, back bool) {
	m, p := &r.Model, &r.Parallel
	if p.ZeRO < 3 {
		return
	}
	before := r.after
	r.after = nil
	r.begins = append(r.begins, r.computed)
	if at := len(r.begins) - 1 - r.ahead(back); at >= 0 {
		r.wait(r.begins[at])
	}
	waits := r.after
	gathered := r.collective(gatherGroups, workload.Data, collective.AllGather, r.uniform(m.Layer(l)/int64(p.Tensor)*r.Memory.Weight))
	r.after = waits
	more := r.collective(expertGatherGroups, workload.Data, collective.AllGather, r.uniform(m.Routed(l)/p.expertParts()*r.Memory.Weight))
	r.after = before
	r.wait(gathered, more)
}

// ahead is the number of layers ahead whose parameters are gathered. PyTorch's FSDP2 gathers those of
// the next layer when a layer begins in the backward pass; in the forward pass it gathers one more,
// since it waits for the copies of the layer before the current one
// (torch/distributed/fsdp/_fully_shard/_fsdp_param_group.py).
func (j *Job) ahead(back bool) int {
	if n := j.Overlap.Prefetch; back || n == 0 {
		return n
	}
	return j.Overlap.Prefetch + 1
}
