// Package executor executes the work of ranks on a network: a collective of all ranks, again and
// again; a graph of computations, collectives and messages; and the ping-pong of a single message.
//
// # The inside
//
// Each row uses the rows below it.
//
//	applications   one collective        runcollective.go, iterations.go, stepseries.go
//	               a graph               graph.go, launcher.go
//	               one message           pingpong.go
//	operations     a collective's steps  operation.go, register.go, aggregation.go
//	messages       memory to memory      carrier.go, kernelrequests.go, memorypool.go, inflight.go,
//	                                     linktransfers.go
//	               host and GPU          hostlimits.go, proxy.go, kernel.go
//	plans          NCCL's choice         ncclchoice.go, planner.go, scaleuprate.go
//	               groups of ranks       communicator.go, edges.go, trees.go, layout.go
//
// Two things go through all rows. Partitions: partitioning.go says which collectives run in several, and
// partition.go has the state of one. Exact periods: statewalk.go and graphstatewalk.go visit the state,
// periods.go and graphperiods.go say for how many periods it will repeat itself.
//
// # Execution of a schedule
//
// A group of ranks is a communicator. A collective in progress on it is an operation; its messages
// carry the operation's number. A rank enters lanes within the program's window. A message takes
// one or two of the eight slots of its pair until it is acknowledged. It goes over a connection of its
// own per pair of ranks, NICs and channel, or in parts over several. The proxy threads of both ranks
// serve messages one after the other. When all messages of a step have arrived, the step's software
// time passes, and the rank enters the next step.
//
// If switches reduce, groups request trees before the run (trees.go). Contributions go into a
// stream of the fabric: a tree, a channel and a kind, whose NICs send in one order. The fabric
// gives results new numbers for each receiver, so that a queue pair takes them like any WRITE.
//
// # Several cores
//
// A collective of all ranks can run in several simulation partitions of whole nodes. Its state
// belongs to a rank, a NIC or a node, or to the partition that counts it. One end of a connection
// learns of the other only through packets. Packets have no data, so a ring of entries represents
// it: the sender writes an entry before its packets leave, and the receiver reads it at least a
// window later (inflight.go). All connections are made before the run. Only the register of
// operations is locked; its numbers have no effect on the simulation.
//
// The following run on one core: a collective with streams, which end with its last rank; a
// collective with reductions or copies in switches, since the sends of a rail's NICs share state; a
// collective with a pair of ranks that P_Keys or VRFs separate, which fails at their first message;
// and a graph, whose senders continue without delay when their receivers have the data.
//
// Left out: NCCL frees a slot only when the receiving GPU has used the data.
package executor
