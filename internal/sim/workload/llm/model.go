package llm

// Model is a decoder's dimensions.
type Model struct {
	Layers int // with those of MTP
	// MTP of the layers, the last ones, predict a further word each (multi-token prediction, DeepSeek-V3, arXiv
	// 2412.19437, section 2.2): from the result of the layer before and the input embedding of the next word, by
	// an output embedding that is that of the model.
	MTP    int
	Hidden int // width of the residual stream
	// FFN is the feed-forward part's width; with Experts, of the Dense layers only.
	FFN      int
	Gated    bool // SwiGLU: three matrices instead of two
	Heads    int
	KVHeads  int
	HeadDim  int
	Vocab    int
	Tied     bool // input and output embedding are one
	Position int  // learned positions; 0: rotary
	// Experts of each layer except the first Dense layers. A token uses TopK of them, and all
	// Shared ones; their width is ExpertFFN.
	Experts, TopK, Shared, ExpertFFN, Dense int
	// Latent attention: the ranks of the latents of the query and of the keys and values, and the
	// part of a head's query and key with the position. 0: none.
	QueryRank, KVRank, RopeDim int
}

// MoE reports whether a layer has experts.
func (m *Model) MoE(layer int) bool { return m.Experts > 0 && layer >= m.Dense }

// predicts reports whether a layer predicts a further word.
func (m *Model) predicts(layer int) bool { return layer >= m.Layers-m.MTP }

// joining is the parameters of the product that joins a layer's result with an embedding, before a layer that predicts a
// further word.
func (m *Model) joining(layer int) int64 {
	if !m.predicts(layer) {
		return 0
	}
	return 2 * int64(m.Hidden) * int64(m.Hidden)
}

// ffnMatrices is the number of matrices of a feed-forward part.
func (m *Model) ffnMatrices() int {
	if m.Gated {
		return 3
	}
	return 2
}

// Attention is the parameters of the attention of a layer.
func (m *Model) Attention() int64 {
	h, d := int64(m.Hidden), int64(m.HeadDim)
	q, kv := int64(m.Heads)*d, int64(m.KVHeads)*d
	if m.KVRank == 0 {
		return h*q + 2*h*kv + q*h
	}
	rope := int64(m.RopeDim)
	query := h*int64(m.QueryRank) + int64(m.QueryRank)*int64(m.Heads)*(d+rope)
	keys := h*(int64(m.KVRank)+rope) + int64(m.KVRank)*int64(m.Heads)*2*d
	return query + keys + q*h
}

// Expert is the parameters of one expert.
func (m *Model) Expert() int64 {
	return int64(m.ffnMatrices()) * int64(m.Hidden) * int64(m.ExpertFFN)
}

// FeedForward is the number of parameters of a layer's feed-forward part for every token: without
// the routed experts.
func (m *Model) FeedForward(layer int) int64 {
	if m.MoE(layer) {
		return int64(m.Shared)*m.Expert() + int64(m.Hidden)*int64(m.Experts)
	}
	return int64(m.ffnMatrices()) * int64(m.Hidden) * int64(m.FFN)
}

// Layer is the parameters of a layer without its routed experts.
func (m *Model) Layer(layer int) int64 {
	norms := 2 * int64(m.Hidden)
	return m.Attention() + m.FeedForward(layer) + m.joining(layer) + norms
}

// Routed is the parameters of a layer's routed experts.
func (m *Model) Routed(layer int) int64 {
	if !m.MoE(layer) {
		return 0
	}
	return int64(m.Experts) * m.Expert()
}

// Embedding is the number of parameters of the input embedding.
func (m *Model) Embedding() int64 {
	return int64(m.Vocab+m.Position) * int64(m.Hidden)
}

// Output is the number of parameters of a separate output embedding.
func (m *Model) Output() int64 {
	if m.Tied {
		return 0
	}
	return int64(m.Vocab) * int64(m.Hidden)
}

// Parameters is the number of all parameters.
func (m *Model) Parameters() int64 {
	n := m.Embedding() + m.Output() + int64(m.Hidden)
	for l := range m.Layers {
		n += m.Layer(l) + m.Routed(l)
	}
	return n
}

// Forward is the number of operations of a token's forward pass through a layer's matrices, with
// its experts, and separately the operations of its attention to the tokens before it in a
// sequence: on the average half of them.
func (m *Model) Forward(layer, sequence int) (matrices, attention float64) {
	p := m.Attention() + m.FeedForward(layer) + m.joining(layer)
	if m.MoE(layer) {
		p += int64(m.TopK) * m.Expert()
	}
	scores := float64(m.Heads) * float64(2*m.HeadDim+m.RopeDim)
	return 2 * float64(p), scores * float64(sequence)
}

// Logits is the number of operations of a token's pass through the output embedding.
func (m *Model) Logits() float64 { return 2 * float64(m.Vocab) * float64(m.Hidden) }

// StepFLOPs is the number of operations of a training step for a token, as model FLOPs utilisation
// counts them: three forward passes, without recomputation, with attention only to the tokens
// before. Megatron-Bridge's performance summary counts the same.
func (m *Model) StepFLOPs(sequence int) float64 {
	n := m.Logits() * float64(1+m.MTP)
	for l := range m.Layers {
		a, b := m.Forward(l, sequence)
		n += a + b
	}
	return 3 * n
}
