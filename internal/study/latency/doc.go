// Package latency explains the time of one small message between two hosts. It simulates a
// ping-pong on each fabric of a scenario and splits the path of its first message into terms, each
// with the source of its number. The terms are differences of timestamps of the packet that
// completes the message; their sum is its time to the picosecond. Published figures of the same
// kind are shown for comparison (figures.go).
package latency
