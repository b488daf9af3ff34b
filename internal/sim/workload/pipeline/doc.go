// Package pipeline has the schedules of pipeline parallelism: in which order a stage
// takes the micro-batches of a step forward and backward.
//
// With one chunk a stage it is 1F1B (PipeDream-Flush; Narayanan et al., "Efficient
// Large-Scale Language Model Training on GPU Clusters Using Megatron-LM", SC 2021,
// section 2.2.1): a stage takes as many micro-batches forward as there are stages
// after it, then one forward and one backward in turn, then the rest backward. With
// more chunks, layers are dealt to the stages in turn and a stage works at
// micro-batches in groups of as many as there are stages (interleaved 1F1B, section
// 2.2.2 there; forward_backward_pipelining_with_interleaving of Megatron-LM's
// schedules.py).
package pipeline
