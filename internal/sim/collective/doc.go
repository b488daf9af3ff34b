// Package collective holds collective operations as pure schedules: which
// rank sends what to whom after having received what. It knows nothing of
// time, of packets or of where a rank runs.
//
// New makes a Program from a Spec. Programs are immutable and lazy: Step works
// out any step of any rank from its number alone.
//
// # Carrying out a program
//
// A rank has Channels·… lanes, and in each channel at most Window lanes active
// at a time, entered in order. A lane is a sequence of steps. On entering step
// k of a lane post all its sends; when Recvs messages for (lane, k) have
// arrived, some perhaps before the step was entered, use them and enter step
// k+1. A rank is done when its last lane is. Whether a send has completed never
// matters: no program overwrites what it may still be sending, because whatever
// arrives there has been caused by that send.
//
// A message with PathMulticast arrives at every other rank of the sender's
// node. Messages with PathReduce arrive as one when all ranks of the node but
// the receiver have sent theirs; (lane, Peer, PeerStep) says which belong
// together. What goes into the scale-out network (Path.InNetwork) is reduced or copied
// there among the ranks of the sender's local number: contributions to one result have the
// same lane, step and local number.
//
// Transfers that say More are one message with the next: its parts lie in different
// places, and of PathNetScatter go to different ranks, each of which gets its part alone.
//
// # Empty messages
//
// A message of no byte is neither sent nor waited for. So 8 bytes over 128
// ranks are one message that goes round, as in NCCL, beside 127 chunks that do
// not exist, where NCCL sends flags without data.
//
// # Buffers
//
// All-reduce, all-gather, reduce-scatter and broadcast work in place in a
// buffer of Bytes, rank i's part of which is the i-th of n parts that differ by
// at most one element; a reduce-scatter leaves partial sums in the other parts.
// All-to-all and send/recv go from a send buffer to a receive buffer.
// Transfer.Src and Dst are the offsets.
//
// # Sources
//
// Rings, trees, NVLS, channels, chunks: github.com/NVIDIA/nccl, src/device,
// src/graph and src/enqueue.cc (2.23 to mid-2026; each file here names its
// own). Sizes and bus bandwidth: github.com/NVIDIA/nccl-tests,
// doc/PERFORMANCE.md. The rest by the papers named beside it.
//
// # What is left out
//
// How the network reduces and copies (CollNet, SHARP), which is the fabric's;
// reduce, gather and scatter; trees in which two GPUs of a node share the talking to
// other nodes (NCCL_TOPO_PATTERN_BALANCED_TREE of Ampere); nodes with unequal
// numbers of GPUs; user-registered buffers. The slots of a connection, NCCL's
// flow control, are whoever's who carries the program out.
package collective
