// Package simai reads the workload files of SimAI (repository aliyun/SimAI). Its generator AICB
// writes them; the format is from ASTRA-sim 1.0.
//
// # The format
//
// The first line names the kind of parallelism and has pairs of a key and a number:
//
//	HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 8 ep: 1 pp: 1 vpp: 8 ga: 1 all_gpus: 64 …
//
// The second is the number of layers. Each layer is a line of twelve words: its name, a dependency,
// then a computing time, a collective and its size for each of the forward pass, the input gradient
// and the weight gradient, and finally the time of the update.
//
// All ranks do the same list: the layers forward, then backward from the last, each layer's input
// gradient before its weight gradient. The rank waits for forward and input-gradient collectives,
// not for weight-gradient ones (Workload::iterate_hybrid_parallel_Transformer_fwd_in_bckwd). A
// collective's name gives its group: tensor parallelism forward and for input gradients, data
// parallelism for weight gradients, or the group of the suffixes _EP and _DP_EP
// (Workload::initialize_workload, MockNcclGroup).
//
// # Left out
//
// The other kinds of parallelism (MICRO, DATA, MODEL, HYBRID_DLRM, …), and recomputation from
// checkpoints: files that announce them are refused.
package simai
