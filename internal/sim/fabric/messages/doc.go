// Package messages records the messages of NICs: when each was posted, when it ended, how often its
// packets were retransmitted. It keeps the slowest ones.
//
// Each NIC has its messages in progress (queue.go), each simulation partition a record of those that
// have ended (recorder.go). Nothing in a simulation depends on either.
package messages
