// Package simulator is what verbs that simulate share. [Simulator] runs a scenario with the results
// that are known, in the way of --exact, and together with other processes; [Execution] is the
// flags and the steps of a verb that makes a run.
//
// # Files
//
//   - simulator.go, exact.go: the simulator, and flags about how it simulates
//   - known.go, share.go: known results; simulations that processes share
//   - execute.go, conclude.go: from a scenario to its run folder and its tables; the end of a study
//   - runfolder.go, series.go: the folder of a run that goes on, and its series
//   - progress.go, metrics.go: progress of simulations; counters for Prometheus
//   - slurm.go, kubernetes.go: flags for jobs of many processes
package simulator
