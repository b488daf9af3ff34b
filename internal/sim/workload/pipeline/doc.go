// Package pipeline has the schedules of pipeline parallelism: in which order a stage takes the
// micro-batches of a step forward and backward, and where the parts of the model are.
//
// # The kinds
//
//   - OneFOneB with one chunk a stage is PipeDream-Flush (Narayanan et al., "Efficient Large-Scale
//     Language Model Training on GPU Clusters Using Megatron-LM", SC 2021, section 2.2.1). With
//     more chunks it is interleaved (section 2.2.2 there, and
//     forward_backward_pipelining_with_interleaving of Megatron-LM): the parts of the model are
//     dealt to the stages in turn, and a stage works at groups of micro-batches. A group has as
//     many micro-batches as there are stages, or more if these do not divide the number, as in
//     Llama 3 (arXiv 2407.21783, section 3.3.2, figure 6).
//   - OneFOneB in pairs begins with one more piece of forward work, so that the forward and the
//     backward work of a pair need nothing from each other (Megatron-LM,
//     overlap_moe_expert_parallel_comm).
//   - ZBH1 and ZBH2 divide the backward work into the gradients of the inputs, for which other
//     stages wait, and those of the weights, which fill bubbles (Qi et al., "Zero Bubble Pipeline
//     Parallelism", ICLR 2024, section 2). ZBH1 keeps as much as 1F1B, ZBH2 twice as much.
//   - ZBV has two chunks a stage: the model goes down the stages and up again (arXiv 2401.10241,
//     section 6).
//   - DualPipe feeds micro-batches from both ends: a stage has its own part of the model and the
//     part of the opposite stage (DeepSeek-V3, arXiv 2412.19437, section 3.2.1, and
//     deepseek-ai/DualPipe). DualPipeV cuts it in half: two chunks a stage, placed as in ZBV.
package pipeline
