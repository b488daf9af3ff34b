package logfile

// Bounds of the input, each with its reason.
const (
	maxBytes     = 1 << 30 // of a log: NCCL_DEBUG=TRACE of a large job; more is not one table's log
	maxLine      = 1 << 16 // of a line: the longest of NCCL's lists every NIC in a few kilobytes
	maxTables    = 1024    // of a log: a night of pairwise runs
	maxRows      = 1 << 14 // of a table: -i with a small increment
	maxNotes     = 64      // listed; the others are counted
	maxHosts     = 1 << 16 // of a run
	maxProcesses = 1 << 8  // whose lines are told apart
	maxNames     = 1 << 12 // of suspicious nodes and devices
	maxSettings  = 1 << 10 // of a log or a run: NCCL has some 200 variables
	maxWords     = 1 << 10 // of a command line
	maxFiles     = 1 << 12 // of a folder: NCCL_DEBUG_FILE writes one for each process
	maxDepth     = 4       // of folders in folders
)
