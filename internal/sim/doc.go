// Package sim runs a scenario: every size of its workload on every fabric, each of them
// a simulation of its own. They run side by side on the cores that are allowed; what
// they find does not depend on how many there are.
//
// Its parts are packages below it, in the direction of their imports:
//
//	jitter, host ← network ← control ← pattern, executor ← phases
//	network ← measure ← pattern, executor
//
// A scenario's fabric becomes the plan of a network (network), which its control plane
// routes and mends (control); the workload becomes an application on it (pattern,
// executor), and what the run counted becomes results (measure).
package sim
