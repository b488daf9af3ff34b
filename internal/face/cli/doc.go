// Package cli is weft's command line. A verb is a file with a constructor, which
// verbGroups in main.go lists; a sub-verb is added by its parent's constructor. Everything
// that a verb takes from the process around it is in one value, [Env], so that the whole
// command line runs inside a test.
//
// # Files
//
//   - main.go: the verbs in their groups, and Main
//   - env.go, input.go, terminal.go, printable.go, status.go, progress.go: the process around a
//     verb: files, streams, the terminal, the status line
//   - exit.go, document.go, yamljson.go: exit codes; the object that --json prints
//   - load.go, cluster.go, quantity.go: flags that change a scenario; flags with units
//   - execute.go: the flags and the way of a verb that simulates
//   - outfile.go, ownfolder.go: files that appear only when complete; the folder of --out
//   - compare.go, run.go, hpcc.go, explain.go, topology.go, catalog.go, version.go: the verbs of
//     these names
//   - bench.go, benchtable.go, algorithms.go, ncclflags.go: weft bench, in the manner of nccl-tests
//   - plan.go, advise.go, validate.go: the verbs of these names
//   - tune.go, tunefolder.go: weft tune
//   - train.go, trainfolder.go: weft train
//   - replay.go: weft replay
//   - latency.go, diagnose.go, calibrate.go: the verbs of these names
//   - audit.go, partitionsfile.go: weft audit
//   - fabric.go and fabricconvert.go, fabricfile.go, fabricopensm.go, guidlist.go, subnetfile.go:
//     weft fabric, and the subnets that verbs read
//   - sm.go and the files whose names begin with sm: weft sm, a file for each sub-verb, and
//     smread.go, smtables.go, smengine.go, smpolicy.go, smextras.go, which they share
//   - ibsim.go: weft ibsim
//   - roce.go and the files whose names begin with roce, headroom.go: weft roce, a file for each
//     sub-verb
//   - live.go and the files whose names begin with live: weft live
//   - perf.go, perftable.go, ping.go: measurements under weft live
//   - sniff.go, sniffjson.go, snifftext.go: weft live sniff
package cli
