package workload

// MaxOps bounds the operations of a graph: one is 72 bytes, and a graph of so many
// takes 5 GB.
const MaxOps = 64 << 20

// maxProblems bounds what Check lists: a graph that is wrong in more places is
// wrong in one way.
const maxProblems = 20
