// Package exchange runs the exchange of tokens between ranks and the experts of a mixture
// (workload.exchange of a scenario): it draws which token goes where, writes what a library's kernels
// send as a graph of messages, and has package executor run it packet by packet.
//
// # Model
//
// A rank is a GPU with Tokens tokens and its share of the experts. A token chooses TopK experts
// (routing.go), each of which is on a rank (placement.go). The latest draws are kept for simulations with the same
// (draws.go).
//
// Low-latency kernels (lowlatency.go) send each token to each of its experts: a WRITE of its bytes to
// the expert's rank over one of several queue pairs, or a store by the kernel if the rank is in the
// same node and NVLink is used. After the last token of a rank for an expert comes a signal, for
// experts without tokens, too. A combine is the same backwards, from the expert's rank to the
// token's, in the combine's type.
//
// Throughput kernels (throughput.go) send a token once for each node, in chunks, to the GPU with the
// number of the token's rank, which passes it on over NVLink at a rate of its own
// (Experts.CopyRate). A combine collects inside the node first. With Experts.ReceiveTokens a receiver has room for as many tokens
// of a channel, and tells the sender of each chunk that it has passed on.
//
// The kernel's own time is one number (Experts.Software) before the first message of a rank and
// after its last. Everything else comes from the network: NICs, links, switches, stores over the
// scale-up network at the rate that a kernel drives it.
//
// # Left out
//
// The flow control of throughput kernels' buffers inside a node; the time by which the data types are converted and tokens copied, beyond
// Software; the kernel's warps, which post and store all messages at the same time.
//
// # Sources
//
// deepseek-ai/DeepEP@dd758ca: csrc/kernels/legacy/internode_ll.cu, internode.cu and ibgda_device.cuh
// for what the kernels send, tests/legacy for what is measured.
package exchange
