// Package counters reads what Ethernet switches and hosts print about their ports: SONiC's tables of
// counters, FEC, states, PFC, queues and watermarks, its transceivers and its BGP neighbours; on hosts
// ethtool -S of mlx5, rdma statistic (-j, too), show_gids, ibdev2netdev and mlnx_qos. Each kind has one source
// file, and all fill a portstate.Set.
//
// The outputs do not name their device. It is taken from a prompt in the file ("admin@leaf1:~$ show …");
// without one, the caller says it.
//
// A table of SONiC is cut where the dashes below its heading are, and its columns are known by their
// names. "N/A" is unknown and not 0. A table of several namespaces is one table after another.
//
// Sources: sonic-utilities (tests), the RDMA notes of the kernel and of mlx5's driver.
package counters
