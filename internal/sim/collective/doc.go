// Package collective holds collective operations as pure schedules: the messages that each rank
// sends and the messages that it waits for first. It knows nothing of time, of packets or of the
// place of a rank.
//
// New makes a Program from a Spec. Programs are immutable and lazy: Step computes any step of any
// rank from its number alone.
//
// # Carrying out a program
//
// A rank has Channels·… lanes, and in each channel at most Window lanes active at a time, entered
// in order. A lane is a sequence of steps. On entering step k of a lane post all its sends; when
// Recvs messages for (lane, k) have arrived, some perhaps before the step was entered, use them and
// enter step k+1. A rank is done when its last lane is. The completion of sends never matters: no
// program overwrites data that it may still be sending, because a message to that place is sent
// only after the data has arrived.
//
// A message with PathMulticast arrives at every other rank of the sender's node. Messages with
// PathReduce arrive as one when all ranks of the node except the receiver have sent theirs;
// contributions to one result have the same lane, Peer and PeerStep. The scale-out network reduces
// or copies messages with Path.InNetwork among the ranks of the sender's local number:
// contributions to one result have the same lane, step and local number.
//
// A transfer with More is one message with the next transfer: the parts of the message lie in
// different places. With PathNetScatter, the parts go to different ranks; each gets only its own
// part.
//
// # Empty messages
//
// An empty message is neither sent nor waited for. So 8 bytes over 128 ranks are one message that
// goes round, as in NCCL. The other 127 chunks do not exist here; NCCL sends flags without data for
// them.
//
// # Buffers
//
// All-reduce, all-gather, reduce-scatter, broadcast, reduce, scatter and gather work in place in a buffer of Bytes. Rank i's
// part is the i-th of n parts that differ by at most one element; a reduce-scatter leaves partial
// sums in the other parts, and a reduce in the ranks that are not the root. All-to-all and send/recv go from a send buffer to a receive buffer.
// Transfer.Src and Dst are the offsets.
//
// # Sources
//
// Rings, trees, NVLS, channels, chunks: github.com/NVIDIA/nccl, src/device, src/graph and
// src/enqueue.cc (2.23 to mid-2026; each file here names its own). Sizes and bus bandwidth:
// github.com/NVIDIA/nccl-tests, doc/PERFORMANCE.md. The other algorithms: the papers named in their
// files.
//
// # What is left out
//
// The reduction and copying in the network (CollNet, SHARP), which the fabric models; trees in which two GPUs of a node share the traffic with other nodes
// (NCCL_TOPO_PATTERN_BALANCED_TREE of Ampere); nodes with unequal numbers of GPUs; user-registered
// buffers. The slots of a connection, NCCL's flow control, are modelled by the executor of the
// program.
//
// # Files
//
//   - spec.go, program.go, step.go, layout.go: operations and algorithms, schedules, steps, the
//     numbering of ranks
//   - chunk.go: NCCL's division of messages
//   - ringallreduce.go, ringgather.go, tree.go, dtree.go, broadcast.go: rings and trees
//   - halving.go, bruck.go, alltoall.go, rooted.go, sendrecv.go: halving and doubling, Bruck,
//     all-to-all, scatter and gather, send and receive
//   - hierarchical.go: a ring per rail between the nodes
//   - nvls.go, nvlsshards.go, collnet.go, collnetchain.go, collnetshards.go: reductions in
//     scale-up switches and in the network
//   - limits.go: bounds
package collective
