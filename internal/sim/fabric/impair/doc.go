// Package impair is what goes wrong, or differs from packet to packet, on a link or in a device: random
// times (jitter.go), bursts of errors that forward error correction leaves (bursts.go), packets that
// are corrupted one by one (errors.go). Each has a random stream of its own, from the seed and the
// link or node.
package impair
