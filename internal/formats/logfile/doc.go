// Package logfile reads the output of programs that measure a cluster: nccl-tests, perftest
// (ib_write_bw, ib_send_lat and others), the report of clusterkit, the tests of DeepEP's kernels, nixlbench and
// transfer_engine_bench, the OSU Micro-Benchmarks and ucx_perftest.
//
// A log says more than its tables. Command lines, exports, banners and messages of NCCL, UCX and MPI become settings
// (command.go, options.go) and signs (signs.go), each with its line. A command line begins a run (run.go): its settings are
// those of the tables below it, up to the next one. Several files can be one log (several.go).
//
// Most lines of a log are of no interest: NCCL's messages between the rows, warnings, several runs
// one after another. srun, mpirun or kubectl may put a prefix before each line. So the readers go
// by structure. A heading names the columns; a row has a value of the right kind in each column,
// wherever in the line it begins. Each format has its own reader and file, and each reader gets
// every line.
//
// Strict where it counts: a row whose numbers contradict one another (a bandwidth that is not size
// over time) is left out with its place and the reason, and so is a truncated row. A table that is
// not complete says so. A log without a table is an error that names the tables sought.
//
// Bandwidth over algorithm bandwidth depends on the number of ranks alone (nccl-tests,
// doc/PERFORMANCE.md), so a table tells the number of ranks, whatever its heading says:
// [Table.Ranks].
package logfile
