// Package evidence gathers what files beside a measured log say of the cluster: bandwidths and latencies between pairs of
// nodes, records of each rank's collectives, counters of ports, and a second log of the same operation.
//
// # The model
//
// Each file is offered to every reader. Pairs are read of any file. Dumps of ranks and outputs of tools about ports are
// read of the files that are no log of a measurement. What no reader knows is listed, with the reason if one is known.
// The judgement of each kind is that of its own package: [weft/internal/formats/pairs], [weft/internal/formats/flight],
// [weft/internal/study/cablehealth], and [weft/internal/formats/logfile] for two logs.
//
// # Files of the package
//
//	gather.go  the files, by their readers
//	aside.go   tables of a log that no prediction is compared with
//	judge.go   what was judged, and what stands out
//
// # Limits
//
// The kinds are judged apart: a slow node and a bad cable are not joined by their names, since hosts, GUIDs and switches
// name them in different ways.
package evidence
