// Package formats is the wing of other tools' files: workloads, topologies and logs. The package
// itself recognises the format of a file and calls its reader.
//
// # Rooms
//
//	source    shared by all readers: the result of reading, and a problem with its place
//	chakra    Chakra execution traces (ASTRA-sim, PyTorch)
//	goal      GOAL schedules (LogGOPSim, ATLAHS), text and binary
//	simai     workloads and topologies of SimAI and AICB
//	astra     network configurations of ASTRA-sim
//	hpcc      files of the simulator published with HPCC
//	hpcctopo  its topology as a cluster
//	ncclxml   topology files of NCCL and RCCL
//	requests  traces of requests to language models: Azure's, Mooncake's
//	logfile   logs of nccl-tests, perftest, clusterkit, the OSU Micro-Benchmarks and others
//	pairs     bandwidths and latencies between pairs of nodes, as matrices and lists
//	flight    what ranks recorded of their collectives: PyTorch's flight recorder, NCCL Inspector
//	metrics   counters under the names of Prometheus's exporters, written and read
//
// # Imports
//
// formats imports units, and the workload graph, the collectives and the counters of sim. study and face import
// it. A reader runs nothing: it returns a workload or a cluster, with the assumptions that the file
// makes necessary.
package formats
