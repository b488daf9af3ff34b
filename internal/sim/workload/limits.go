package workload

// MaxOps bounds the operations of a graph: an operation has 104 bytes, and a graph of the maximum
// size 7 GB.
const MaxOps = 64 << 20

// maxProblems bounds the list of Check: more problems usually have the same cause.
const maxProblems = 20
