// Package host reads the RoCE settings of a Linux host with an mlx5 adapter: the output of
// mlnx_qos, ethtool, ip and show_gids, listings of sysfs, cma_roce_tos, and the environment of NCCL,
// UCX and NVSHMEM.
//
// # The model
//
// A Host is one interface. Every value has the file and the line that it comes from. A value that
// no file gives is unknown; it is not a default. The content of a file shows its kind; only the
// bare number of cma_roce_tos is recognised by the file's name. A script, which begins with #!, is
// read for the values that its commands set.
//
// # Units
//
// Speeds in Mb/s and times between notifications in µs, as in the drivers; a traffic class of IP
// has eight bits, and its upper six are the DSCP.
//
// # Sources
//
// mlnx_qos of mlnx-tools and NVIDIA's pages on it and on sysfs (QoS, ECN); ethtool(8); NCCL's
// documentation of its environment.
//
// # What is left out
//
// Loops, conditions and functions in scripts: each command counts once, and a later one replaces an
// earlier one. Variables that the script does not set itself. Several interfaces of one host: each has its own
// folder. DCB netlink (dcb, lldptool).
package host
