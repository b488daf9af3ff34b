// Package host models the path of a message between a GPU's memory and the wire: its terms for
// PCIe, software and copies, each with the scenario's number for it (terms.go), the source of that
// number (facts.go), their sums for executors (path.go), and the timers of a rank (timers.go).
//
// The fabric models the NIC's own pipelines to and from the wire; the collective models the
// software between a GPU and the thread that drives its NIC. Left out are caches, and other work of
// the same CPU.
package host
