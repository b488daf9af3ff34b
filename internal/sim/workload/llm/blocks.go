package llm

// familyBlocks are the thread blocks of the kernels of each family's collectives, each of which takes
// a multiprocessor from the computation beside it: 16 of NCCL on a node with eight NICs (NCCL issue
// 1656), and of Transformer Engine's userbuffers by default; 20 for the exchange of experts
// (DeepSeek-V3, arXiv 2412.19437, section 3.2.2).
var familyBlocks = [numFamilies]int32{
	tensorGroups: 16, contextGroups: 16, dataGroups: 16, expertGroups: 20, expertDataGroups: 16, gatherGroups: 16, expertGatherGroups: 16,
}

// passingBlocks are those of a message between stages (NVIDIA's MLPerf recipes).
const passingBlocks = 2
