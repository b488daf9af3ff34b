// Package sim is the wing of the simulator. The package itself runs a scenario: every size of its
// workload on every fabric, each in a simulation of its own. The simulations run side by side on
// the allowed cores; the results do not depend on the number of cores.
//
// # Rooms
//
//	scenario    (weft/scenario, public) the user's file, its defaults and derived values: Resolved
//	results     (weft/results, public) what a run gives: times and counts
//	protocol    the description of each protocol: its ports, frames, transport, abilities
//	catalog     facts of hardware and protocols, each with its source
//	state       compares two states of a simulation, and moves one on in time
//	engine      the clock, the event queue, windows of partitions, random streams
//	fabric      links, ports, buffers, switches and NICs of both fabrics, packet by packet
//	transport   queue pairs without I/O; cc: congestion control; tcp: TCP
//	routing     next hops of a graph: ECMP, adaptive routing, static tables
//	collective  schedules of collectives; nccl: NCCL's choice of algorithm and protocol
//	workload    the work of ranks as a graph; llm: a training step of a language model;
//	            serving: keys and values
//	run         from a scenario to packets and back to counts (below)
//	known       what a simulation depends on, so that its result can be kept
//	runstore    the folder of a run; seriesfile: its series as Parquet files
//
// # The rooms of run
//
//	jitter, host ← network ← control ← pattern, executor ← phases
//	network ← measure ← streams ← executor, transfer
//
// The fabric of a scenario becomes the plan of a network (network), which its control plane routes
// and repairs (control). The workload becomes an application on it (pattern, executor, exchange;
// transfer for a program that decides while it runs), with other traffic beside it (streams). The
// counts of the run become results (measure).
//
// # Files
//
//   - options.go, run.go: a run, its simulations and their results
//   - coreshares.go: the cores that each simulation gets
//   - seeds.go: further seeds of a size, and the mean over them
//   - exact.go, execute.go: exact periods of a run and of a workload, and the check of them
//   - recall.go: results that are known
//   - progress.go, live.go: a run's progress, and what it has counted so far
//   - faultarrivals.go: bytes that arrive at NICs over a run with faults
//
// # Imports
//
// sim imports units, wire, base, and the control planes of ib and roce. verbs and live import its
// queue pairs and schedules, formats its workload graph, study all of it, weft its scenarios, runs
// and results, face all but the run itself.
package sim
