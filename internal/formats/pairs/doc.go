// Package pairs reads bandwidths and latencies between pairs of nodes: the matrices of clusterkit (bandwidth.txt,
// latency.txt), matrices with hosts as rows and columns, lists of pairs as CSV, JSON or lines, and the tables of a log whose
// hosts are known. It says which nodes are slow with all others, and which pairs are slow though both nodes are not.
//
// # Files of the package
//
//	read.go      which form a file has; a set of pairs
//	matrix.go    clusterkit's matrices, and matrices with hosts as rows and columns
//	list.go      lists of pairs: CSV and tables with named columns, and lines such as "bandwidth a - b : 98 Gbps"
//	json.go      JSON: a list of pairs, or a matrix beside its hosts
//	logs.go      pairs of the tables of a log
//	slow.go      slow nodes and slow pairs
//
// Sources: HPC-X, ClusterKit, "Running ClusterKit" and "Test Descriptions and Options" (docs.nvidia.com/networking) for what
// is measured and the tolerances; wuchanghui5220/pot, ck-bench, for the form of the matrices. The form of clusterkit's own
// JSON is not published: it is read if it has hosts and a matrix of their number, under whatever names.
//
// Bandwidths are in Gb/s and latencies in us. A matrix of clusterkit's bandwidths is in MB/s of 10^6 bytes, in both
// directions at once.
package pairs
