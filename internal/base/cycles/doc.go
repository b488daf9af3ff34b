// Package cycles finds the cycles of a directed graph. Edges are computed on demand, because a
// dependency graph of a large fabric is too big for lists of edges. A channel dependency graph
// without a cycle is the proof that lossless forwarding cannot deadlock (Dally and Seitz,
// "Deadlock-free message routing in multiprocessor interconnection networks", 1987).
package cycles
