// Package executor carries out what ranks do on a network: collectives along their
// schedules (operation.go), alone again and again (collective.go) or as a graph of
// computations, collectives and messages (graph.go), with streams of other traffic
// beside them (beside.go), and the ping-pong of a single message (pingpong.go).
//
// Messages between nodes go through the hosts of both sides and over connections as
// NCCL makes them (carrier.go); those inside a node over its scale-up network. How a
// collective is carried out, and at what pace, is NCCL's choice (choose.go, pace.go).
//
// A collective of all ranks can run in several partitions of whole nodes (cut.go): what
// it keeps belongs to a rank, a NIC or a node, or to the partition that counts it
// (share.go), and what is known of another node has come in a packet (underway.go).
//
// What is left out: that NCCL frees a slot only when the receiving GPU has used the
// data.
package executor
