// Package messages records the messages of NICs: when each was posted, when it ended, how often its
// packets were retransmitted. It keeps the slowest ones.
//
// [Queues] hold the messages that have not ended (queue.go). A [Recorder] has the ended
// messages of a simulation partition (recorder.go). Nothing in a simulation depends on them.
package messages
