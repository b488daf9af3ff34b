// Package workload describes the work of a cluster's ranks as a graph: computations with their
// times, messages, collectives, and the dependencies between them. It knows nothing of GPUs,
// networks or file formats: a training step of weft, a trace or another simulator's workload file
// becomes a Graph, and a Graph is executed on a simulated fabric (internal/sim) or with given times
// (Replay).
//
// # The model
//
// A rank is a GPU. It has a list of operations. Each belongs to a stream, as CUDA's do: the
// operations of one stream run one after another in the order of the list, operations of
// different streams at the same time. An operation begins when its predecessor in the stream and
// all operations in After are over.
//
//   - Compute takes its Time.
//   - Send and Recv are matched by (source, destination, tag): the k-th Send from a
//     to b with a tag meets the k-th Recv of b from a with it. The data leaves when
//     the Send begins, whether or not the Recv has: it waits at the receiver. A Recv
//     is over when it has begun and all its data is there, a Send when its data is at
//     the receiver.
//   - Collective is an operation of a group of ranks. The k-th of a group in one member's list
//     is the k-th of the group in every other's. A member is over with it when its
//     own part is: it waits for others only as the algorithm requires.
//
// # Invariants
//
// Check proves a graph well-formed: ranks and groups exist, every message has a sender and a
// receiver with the same length, members of a group agree, and no operations wait in a circle.
// Progress, which lists the operations that may begin, and Replay take checked graphs only.
//
// # What is left out
//
// Dependencies between operations of different ranks other than by messages; receives from any
// source; a receiver that makes its sender wait (a sender runs ahead without limit; NCCL's stops at
// 4 MiB).
package workload
