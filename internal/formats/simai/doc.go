// Package simai reads the workload files of SimAI (repository aliyun/SimAI), which its
// generator AICB writes, and which ASTRA-sim 1.0 had before.
//
// # The format
//
// The first line names the way of parallelism and has pairs of a key and a number:
//
//	HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 8 ep: 1 pp: 1 vpp: 8 ga: 1 all_gpus: 64 …
//
// The second is the number of layers. Each layer is a line of twelve words: its name,
// a dependency, then for the forward pass, the gradient of the input and that of the
// weights each a computing time, a collective and its size, and at last the time of the
// update.
//
// All ranks do the same list: the layers forward, then backward from the last, each
// layer's input gradient before its weight gradient. Forward and input-gradient
// collectives hold the rank up, weight-gradient ones do not
// (Workload::iterate_hybrid_parallel_Transformer_fwd_in_bckwd). A collective's name
// says its group: of tensor parallelism forward and for input gradients, of data
// parallelism for weight gradients, or as the suffixes _EP and _DP_EP say
// (Workload::initialize_workload, MockNcclGroup).
//
// # Left out
//
// The other ways of parallelism (MICRO, DATA, MODEL, HYBRID_DLRM, …), and
// recomputation from checkpoints: files that announce some are refused.
package simai
