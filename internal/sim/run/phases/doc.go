// Package phases simulates the phases of a workload one by one, packet by packet. A phase is a set
// of collectives or messages at the same time.
//
// Groups that share no resource of the cluster (footprint.go) do not slow each other. Equal groups
// without a common resource take the same times, so that one of them is simulated for all
// (fold.go). Messages that switches hash onto disjoint paths are simulated part by part
// (hashed.go). If these properties cannot be shown, the phase is simulated as a whole.
package phases
