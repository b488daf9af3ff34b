// Package latency explains the time of one small message between two hosts: it simulates
// a ping-pong on each fabric of a scenario and splits the way of its first message into
// terms, each with the number that it comes from. The terms are differences of the
// timestamps of the packet that completes the message, and their sum is its time to the
// picosecond. Published figures of the same kind stand beside them (figures.go).
package latency
