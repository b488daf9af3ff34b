// Package chakra reads Chakra execution traces (repository mlcommons/chakra, schema et_def.proto),
// which ASTRA-sim replays and PyTorch's profiles are converted to.
//
// # The format
//
// A job has a file for each rank, NAME.RANK.et. A file is a sequence of protobuf messages, each
// after its length as a varint: one GlobalMetadata, then Nodes. A node has an id, a type
// (computing, memory, send, receive, collective), the ids of the nodes that it depends on, a
// duration in microseconds, and attributes by name: comm_type, comm_size, comm_src, comm_dst,
// comm_tag, pg_name, num_ops. Metadata nodes of PyTorch list the ranks of process groups.
//
// # Left out
//
// Storage, batch and checkpoint nodes; the times at which a trace was recorded (start_time_micros):
// dependencies decide, as in ASTRA-sim; computing given by its operations (num_ops) without a
// duration, which takes no time and is counted; reduce, gather and scatter.
package chakra
