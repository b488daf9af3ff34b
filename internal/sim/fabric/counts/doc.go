// Package counts is what a simulated fabric counts: the counters of a run (stats.go), the reasons
// for which packets are dropped (drop.go), and the counters of a port of a NIC (port.go). They are
// numbers that grow; nothing in a simulation depends on them. A period that is skipped adds to each
// what the period before has added (tag count of package state).
//
// A new counter is a field here, its line in Add, and the place in package fabric that counts.
package counts
