// Package host is what a message meets between a GPU's memory and the wire: the terms
// of its path through PCIe, software and copies, each with the number of the scenario
// that it comes from (terms.go), their sums as executors use them (path.go), and the
// timers by which a rank does something later (timers.go).
//
// The NIC's own pipelines to and from the wire are the fabric's; the software between
// a GPU and the thread that drives its NIC is the collective's. Left out are caches,
// and other work of the same CPU.
package host
