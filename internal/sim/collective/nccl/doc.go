// Package nccl is NCCL's own cost model: the algorithm, the protocol and the number of channels
// that NCCL chooses for an operation of a size on a cluster, and its estimate of the time. It
// follows ncclTopoTuneModel and ncclTopoGetAlgoTime in src/graph/tuning.cc, topoGetAlgoInfo and
// calcCollChunking in src/enqueue.cc and ncclTopoCompute in src/graph/search.cc of
// github.com/NVIDIA/nccl, as of mid-2026. All its constants are in constants.go and
// tree-correction.csv, and the differences of older releases in releases.go. AMD's RCCL has its own
// constants, in rccl.go.
//
// The model's units are NCCL's: microseconds, and GB/s of 10^9 bytes. It is a plan made before the
// run and decides no event: floats do no harm here.
//
// # The graph
//
// NCCL searches the node for channels: paths through all GPUs, each at a speed out of a table.
// Package nccl does not search: on a node with an NVSwitch, all GPUs reach all others at one rate,
// and the counting in graph.go gives the same result as the search. Logs of real nodes agree
// exactly:
//
//	8 A100, one node               12 channels × 20 GB/s
//	8 H100, one node               12 channels × 30 GB/s, NVLS 8 × 40 (NVIDIA/nccl issue 1197)
//	8 H100 with 8 × 400 Gb/s, 2 nodes   8 channels × 48 GB/s, 16 when running, NVLS 16
//	8 H100 with 8 × 400 Gb/s, 3 nodes   16 channels when running (NVIDIA/nccl issue 1453)
//
// Unknown, and estimated by the same counting: nodes without an NVSwitch (hybrid meshes, PCIe
// only), and the speed of NVLS between nodes (45 GB/s for an H100). It is assumed that the rings of
// a single node are alike (sameChannels; it matters only for the latency of a broadcast).
//
// # What is left out
//
// Tuner plug-ins but for Cluster.Tuner, user buffers (registered ones run faster), symmetric-memory
// kernels, copy-engine collectives, multi-node NVLink domains of more than one node, aggregation of
// operations in a group, NCCL_ALGO and NCCL_PROTO except by Cluster.Only. Point-to-point operations
// have no cost model in NCCL.
package nccl
