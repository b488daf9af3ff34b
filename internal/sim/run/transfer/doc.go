// Package transfer runs a program above a network: it posts messages between ranks at the times
// that it chooses, and learns when each is in its receiver's memory. So a scheduler of a serving job
// has all its transfers on the fabric at once, each beside those that other decisions started.
//
// # A message
//
// A message goes from the memory of one rank to that of a rank in another node, by WRITE from its
// sender or by READ from its receiver. It is cut into slices, a work request each, which take its
// routes (pairs of NICs) in turn. A rank's thread posts one work request after the other; each takes
// host.post of the thread's time. The rest of the host's path is package host's, as for collectives
// and patterns. On TCP, which has no READ, the sender writes.
//
// # A graph
//
// A program also launches graphs of messages between GPUs, as package executor has them, such as the exchange of tokens
// with experts: each begins when the program wants it, beside the messages and the other graphs.
//
// The streams of the fabric (beside) run as long as the program does.
//
// # Several cores
//
// A run has one partition: the program sees all ranks.
//
// Left out: the doorbells and the completion queue of a NIC beyond the fixed times of the host's
// path; messages inside a node.
package transfer
