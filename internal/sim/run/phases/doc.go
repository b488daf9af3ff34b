// Package phases carries out the phases of a workload one by one: collectives and
// messages that happen at once, and that are simulated by themselves, packet by packet.
//
// Groups that share nothing of the cluster (footprint.go) do not slow each other; those
// that are alike besides take the same times, so that one of them is simulated for all
// (fold.go), and messages that switches hash apart are simulated part by part
// (hashed.go). Where it cannot be shown, the phase is simulated as a whole.
package phases
