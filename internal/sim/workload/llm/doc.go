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
// # Time
//
// A product of matrices takes a start, its operations at the GPU's rate, and a part of its
// memory traffic; if it is small, its traffic at the memory's rate. Operands of 8 bits are
// converted before. The attention's kernel depends on the sequence's length and the head's
// dimension. Norms, activations, rotary embeddings, the permutation of tokens, the embeddings,
// the loss and the optimizer take their memory traffic. Everything is divided by what the
// framework leaves of these rates (Job.Framework). docs/TRAINING.md has constants and errors.
//
// # What is left out
//
// Dropout; input data, checkpoints and logging; memory bandwidth that collectives take from
// computation; imbalance of experts, but for the time of the busiest GPU's (Job.Busiest).
package llm
