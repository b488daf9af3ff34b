// Package ncclxml reads the topology files of NCCL (NCCL_TOPO_FILE and
// NCCL_TOPO_DUMP_FILE), which describe one node, as the node of a scenario.
//
// # The format
//
// A system has CPUs, these have PCI devices and, below PCI switches, more of them, with
// a class, a link speed and a width. A GPU's device may hold a gpu element with its
// compute capability (sm) and nvlink elements, each with a number of links and the
// class of the device at their end: 0x068000 is a switch. A NIC's may hold nic and net
// elements, which have a speed in Mb/s. Files that cloud providers ship have the devices
// alone, and NCCL finds the rest at run time.
//
// # Left out
//
// The tree of PCI switches and CPUs: weft's nodes give each GPU the next NIC. C2C links
// between CPU and GPU.
package ncclxml
