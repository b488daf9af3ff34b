// Package logfile reads what programs that measure a cluster print: nccl-tests,
// perftest (ib_write_bw, ib_send_lat and their kin) and the report of clusterkit.
//
// A log is a stream of lines of which most are of no interest: what srun, mpirun or
// kubectl put in front of each, NCCL's own messages between the rows, warnings,
// several runs one after the other. So the readers go by structure. A heading says
// which columns follow; a row is what has the right kind of value in each of them,
// wherever in the line it begins. Each format has a reader of its own, in a file of
// its own, and each is shown every line.
//
// Strict where it counts: a row whose numbers contradict one another (a bandwidth
// that is not size over time) is left out with its place and the reason, and so is
// one that is cut. What could be read is offered; a table that is not whole says
// so. A log without a table is an error that says what was looked for.
//
// Bandwidth over algorithm bandwidth depends on the number of ranks alone
// (nccl-tests, doc/PERFORMANCE.md), so a table tells how many took part whatever its
// heading says: [Table.Ranks].
package logfile
