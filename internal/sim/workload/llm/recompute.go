package llm

// Recompute is the set of parts of a layer's forward pass that the backward pass computes again, so
// that their results are not kept.
type Recompute uint8

// The parts. Megatron-LM's names in recompute_modules are in parentheses.
const (
	RecomputeNorms         Recompute = 1 << iota // (layernorm)
	RecomputeActivation                          // of the feed-forward part (moe_act)
	RecomputeAttention                           // the attention's kernel (core_attn)
	RecomputeUpProjections                       // of latent attention (mla_up_proj)
	RecomputeDense                               // the feed-forward part of layers without experts (mlp)
	RecomputeExperts                             // the same with experts, and their tokens' way (moe)
	// RecomputeProducts keeps every second product and the attention's result, as torchtitan's
	// selective option "op": keys, the attention's output projection, one of two up projections, and
	// all that is no product are computed again.
	RecomputeProducts
	RecomputeLayer // all; only the layer's input is kept

	RecomputeNone Recompute = 0
	// RecomputeSelective is what needs no product of matrices.
	RecomputeSelective = RecomputeNorms | RecomputeActivation
)

func (r Recompute) has(parts Recompute) bool { return r&parts != 0 }

// attentionAgain is the time of the parts of a layer's attention that are computed again: of the
// products before (the first, and in latent attention those up from the ranks) and after, of the
// kernel, and of the operators without products.
func (j *Job) attentionAgain(in, out []product, kernel, streamed float64) (seconds float64) {
	r, m := j.Memory.Recompute, &j.Model
	again := func(list []product) float64 {
		t, _, _ := j.GPU.products(list, 0)
		return t
	}
	switch {
	case r.has(RecomputeLayer):
		return 0 // the whole forward pass comes before
	case r.has(RecomputeProducts):
		keys := float64(m.KVHeads) / float64(m.Heads+2*m.KVHeads)
		seconds += keys*again(in) + again(out) + streamed
	case r.has(RecomputeUpProjections) && m.KVRank > 0:
		seconds += again(in[1:])
	}
	if r.has(RecomputeNorms | RecomputeProducts) {
		seconds += j.normed(4 * float64(m.Hidden))
	}
	if r.has(RecomputeAttention) {
		seconds += kernel
	}
	return seconds
}

// feedForwardAgain is the time of the parts of a feed-forward part that are computed again, unless
// all of it is: of the up projections, and of the activation.
func (j *Job) feedForwardAgain(layer int, in []product, activation float64) (seconds float64) {
	r := j.Memory.Recompute
	if j.feedForwardWhole(layer) {
		activation = 0
	} else if r.has(RecomputeProducts) {
		t, _, _ := j.GPU.products(in, 0)
		seconds += t / 2
	}
	if r.has(RecomputeLayer) {
		return 0
	}
	if r.has(RecomputeNorms | RecomputeProducts) {
		seconds += j.normed(4 * float64(j.Model.Hidden))
	}
	if r.has(RecomputeActivation | RecomputeProducts) {
		seconds += activation
	}
	return seconds
}

// feedForwardWhole reports whether all of a layer's feed-forward part is computed again.
func (j *Job) feedForwardWhole(layer int) bool {
	part := RecomputeDense
	if j.Model.MoE(layer) {
		part = RecomputeExperts
	}
	return j.Memory.Recompute.has(part | RecomputeLayer)
}
