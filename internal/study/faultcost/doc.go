// Package faultcost says what faults of a RoCE configuration cost a job on the fabric that has them.
//
// # Model
//
// The findings of weft roce lint are grouped: one rule with one value is one fault, wherever it stands. The job is simulated
// on the fabric as found, and once more for each fault with the lines that mend it, on all devices that have it. The cost of
// a fault is the difference. Faults can hide one another, so the job is also simulated with all of them mended.
//
// The switches have the settings of their configurations (package scenario reads them). Of the hosts the simulation has the
// DSCP of their data and of their notifications, the MTU, and whether they answer marks (hosts.go). All hosts of a simulation are
// alike: what most of them have holds for all.
//
// # Limits
//
// A fault whose fix leaves the simulated fabric unchanged is not judged, and the reason is given. The same holds if the
// simulator refuses the mended configuration.
//
// The package simulates by the runner of its caller, which also resolves scenarios: it knows the files.
package faultcost
