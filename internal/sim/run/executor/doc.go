// Package executor carries out what ranks do on a network: collectives along their
// schedules (operation.go), alone again and again (collective.go) or as a graph of
// computations, collectives and messages (graph.go), with streams of other traffic
// beside them (beside.go), and the ping-pong of a single message (pingpong.go).
//
// Messages between nodes go through the hosts of both sides and over connections as
// NCCL makes them (carrier.go); those inside a node over its scale-up network. How a
// collective is carried out, and at what pace, is NCCL's choice (choose.go, pace.go).
//
// # Carrying out a schedule
//
// A group of ranks is a communicator. A collective that is under way on it is an
// operation, whose number its messages carry. A rank enters lanes within the program's
// window. A message takes one of the eight slots of its pair until it is acknowledged,
// and goes over a connection of its own per pair of ranks, NICs and channel, or in parts
// over several. When all messages of a step are there, the step's software time passes,
// and the next step is entered.
//
// Where switches reduce, groups ask for trees before anything runs (trees.go).
// Contributions go into a stream of the fabric: a tree, a channel and a kind, whose NICs
// send in one order. The fabric gives results new numbers for each receiver, so that a
// queue pair takes them like any WRITE.
//
// # Several cores
//
// A collective of all ranks can run in several partitions of whole nodes (cut.go). Its
// state belongs to a rank, a NIC or a node, or to the partition that counts it (share.go).
// What one end of a connection knows of the other has come in a packet: packets have no
// data, so a ring of entries stands for it, which the sender writes before its packets
// leave and the receiver reads at least a window later (underway.go). All connections are
// made before the run. The register of operations alone is locked; its numbers are not
// seen in what is simulated.
//
// These run on one core: a collective with streams beside it, which end with its last
// rank; a collective for which switches reduce or copy, since what a rail's NICs send is
// one state; a collective with a pair of ranks that P_Keys or VRFs keep apart, which fails
// when they meet; and a graph, whose senders go on without delay when their receivers
// have the data.
//
// What is left out: that NCCL frees a slot only when the receiving GPU has used the
// data.
package executor
