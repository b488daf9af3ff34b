// Package host reads what a Linux host with an mlx5 adapter says about RoCE: the
// output of mlnx_qos, ethtool and ip, listings of sysfs, cma_roce_tos, and the
// environment of NCCL.
//
// # The model
//
// A Host is one interface. Every value knows the file and the line that said it,
// and whether anything did: what was not said is not known, it is not a default.
// What a file is, is told by its content, and for the bare number of cma_roce_tos
// by its name. A script, which begins with #!, says what its commands set.
//
// # Units
//
// Speeds in Mb/s and times between notifications in µs, as the drivers have
// them; a traffic class of IP in all its eight bits, of which a DSCP is the upper
// six.
//
// # Sources
//
// mlnx_qos of mlnx-tools and NVIDIA's pages on it and on sysfs (QoS, ECN);
// ethtool(8); NCCL's documentation of its environment.
//
// # What is left out
//
// What a script does by variables, loops and conditions. Several interfaces of one host: each has its own folder. DCB netlink (dcb, lldptool).
package host
