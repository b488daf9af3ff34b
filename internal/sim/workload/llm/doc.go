// Package llm is the arithmetic of training a large language model: parameters,
// floating-point operations, bytes of memory and bytes of communication, and the
// graph of a training step that follows from them.
//
// # The model
//
// A decoder of Layers alike, but for the first Dense of a mixture of experts. A layer
// is attention (grouped queries, or latent as in DeepSeek) and a feed-forward part.
// Operations count matrix products only: 2 for a multiply and add; backward takes
// twice as many as forward, the attention's kernel 2.5 times as many as it
// recomputes its scores (Dao, "FlashAttention-2", 2023, section 4.1).
//
// # What is left out
//
// All work except matrix products: norms, activations, rotary embeddings, dropout, the
// loss, routing and permutation of tokens; kernel launches; input data, checkpoints
// and logging; power and clock limits beyond the stated efficiency; imbalance of
// experts (each gets as many tokens); DeepSeek's multi-token prediction.
package llm
