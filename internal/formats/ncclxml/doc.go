// Package ncclxml reads the topology files of NCCL and RCCL (NCCL_TOPO_FILE and NCCL_TOPO_DUMP_FILE), which
// describe one node, as the node of a scenario.
//
// # The format
//
// A system has CPUs, these have PCI devices and, below PCI switches, more of them, with a class, a
// link speed and a width. A GPU's device may hold a gpu element with its compute capability (sm)
// and nvlink elements, each with a number of links and the class of the device at their end:
// 0x068000 is a switch. RCCL's files have xgmi elements instead, each with the address of the GPU at its end,
// and the architecture (gcn); sm is the number of compute units there. A NIC's device may hold nic and net
// elements, which have a speed in Mb/s. gdr says of a GPU and of a port whether NCCL uses GPUDirect RDMA with it.
// Cloud providers' files have only the devices, and NCCL finds the rest at run time.
//
// # Left out
//
// The tree of PCI switches and CPUs: in weft's nodes each GPU uses the nearest NIC. C2C links
// between CPU and GPU. A mesh with gaps between AMD's GPUs, which is taken as full; the links of GPUs that
// make groups between which only PCIe leads, since a node has one scale-up network: PCIe is taken.
package ncclxml
