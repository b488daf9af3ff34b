// Package executor executes the work of ranks on a network: collectives along their schedules
// (operation.go), alone again and again (collective.go) or as a graph of computations, collectives
// and messages (graph.go), with streams of other traffic (streams.go), and the ping-pong of a
// single message (pingpong.go).
//
// Messages between nodes go through the hosts of both sides and over connections as NCCL makes them
// (carrier.go); messages inside a node go over its scale-up network. NCCL's cost model chooses the
// algorithm and the pace of a collective (ncclchoice.go, pace.go).
//
// # Execution of a schedule
//
// A group of ranks is a communicator. A collective in progress on it is an operation; its messages
// carry the operation's number. A rank enters lanes within the program's window. A message takes
// one or two of the eight slots of its pair until it is acknowledged, and goes over a connection of its
// own per pair of ranks, NICs and channel, or in parts over several. The proxy threads of both ranks
// serve messages one after the other (pace.go). When all messages of a step
// have arrived, the step's software time passes, and the rank enters the next step.
//
// If switches reduce, groups request trees before the run (trees.go). Contributions go into a
// stream of the fabric: a tree, a channel and a kind, whose NICs send in one order. The fabric
// gives results new numbers for each receiver, so that a queue pair takes them like any WRITE.
//
// # Several cores
//
// A collective of all ranks can run in several simulation partitions of whole nodes (divisible.go). Its
// state belongs to a rank, a NIC or a node, or to the partition that counts it (partitionstate.go). One end
// of a connection learns of the other only through packets. Packets have no data, so a ring of
// entries represents it: the sender writes an entry before its packets leave, and the receiver
// reads it at least a window later (inflight.go). All connections are made before the run. Only the
// register of operations is locked; its numbers have no effect on the simulation.
//
// The following run on one core: a collective with streams, which end with its last rank; a
// collective with reductions or copies in switches, since the sends of a rail's NICs share state; a
// collective with a pair of ranks that P_Keys or VRFs separate, which fails at their first message;
// and a graph, whose senders continue without delay when their receivers have the data.
//
// Left out: NCCL frees a slot only when the receiving GPU has used the data.
//
// # Files
//
//   - runcollective.go, collective.go, collectives.go: one collective of all ranks, repeated;
//     what it shares with graphs
//   - graph.go, planner.go: a graph of computations, collectives and messages; the
//     plan of each collective
//   - statewalk.go, repeats.go, graphwalk.go, graphrepeats.go: the state of a collective and of a
//     graph, and for how many periods it will repeat itself
//   - ncclchoice.go, pace.go, scaleuprate.go: NCCL's choice of algorithm and protocol, its
//     limits on the rate, the rate of the scale-up network
//   - operation.go, register.go, communicator.go, legs.go: a collective in progress, the list of
//     all, a group of ranks, the messages between two members
//   - carrier.go, pool.go, inflight.go: a message from memory to memory: between nodes, inside a
//     node, on its way
//   - aggregation.go, trees.go: reductions in switches
//   - divisible.go, partitionstate.go: several simulation partitions
//   - streams.go, pacedstream.go, nvme.go, attribute.go, beside.go: traffic beside a collective, or beside
//     an application of another package, and its
//     share of a busy link
//   - launcher.go: graphs that an application of another package begins while it runs
//   - pingpong.go: one message there and back
package executor
