// Package nccl is NCCL's own cost model: which algorithm and protocol it takes
// for an operation of a size on a cluster, with how many channels, and how long
// it thinks that lasts. It follows ncclTopoTuneModel and ncclTopoGetAlgoTime in
// src/graph/tuning.cc, topoGetAlgoInfo and calcCollChunking in src/enqueue.cc
// and ncclTopoCompute in src/graph/search.cc of github.com/NVIDIA/nccl, as of
// mid-2026 (the constants are the same since 2.27). All its constants are in
// constants.go and tree-correction.csv.
//
// The model's units are NCCL's: microseconds, and GB/s of 10^9 bytes. It is a
// plan made before the run and decides no event: floats do no harm here.
//
// # The graph
//
// NCCL searches the node for channels: paths through all GPUs, each at a speed
// out of a table. Package nccl does not search: on a node with an NVSwitch,
// where all GPUs reach all others at one rate, the search ends where the
// counting in graph.go does. Known from logs of real nodes and met exactly:
//
//	8 A100, one node               12 channels × 20 GB/s
//	8 H100, one node               12 channels × 30 GB/s, NVLS 8 × 40 (NVIDIA/nccl issue 1197)
//	8 H100 with 8 × 400 Gb/s, 2 nodes   8 channels × 48 GB/s, 16 when running, NVLS 16
//	8 H100 with 8 × 400 Gb/s, 3 nodes   16 channels when running (NVIDIA/nccl issue 1453)
//
// Not known, and guessed by the same counting: nodes without an NVSwitch
// (hybrid meshes, PCIe only), the speed of NVLS between nodes (45 GB/s for an
// H100), and whether the rings of a node are alike (sameChannels; it matters
// for the latency of a broadcast only), taken to be so on one node.
//
// # What is left out
//
// Tuner plug-ins, user buffers (registered ones run faster), symmetric-memory
// kernels, copy-engine collectives, multi-node NVLink domains of more than one
// node, aggregation of operations in a group, NCCL_ALGO and NCCL_PROTO but for
// Cluster.Only. Point-to-point operations have no cost model in NCCL.
package nccl
