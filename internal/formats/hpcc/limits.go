package hpcc

// The bounds on what is read, each with its reason.
const (
	// maxFileBytes is the flow file of maxFlows flows, 40 bytes a line.
	maxFileBytes = 160 << 20
	// maxLineBytes is the ids of all nodes on one line, twice.
	maxLineBytes = 1 << 20
	// maxNodes is where the address of a host would carry into its first byte.
	maxNodes = 1 << 16
	// maxPorts is the size of that simulator's own tables (pCnt is 1025, port 0
	// is not used).
	maxPorts = 1024
	// maxLinks is every node of a three-level fat tree of that size, thrice over.
	maxLinks = 1 << 20
	// maxFlows keeps the flows of a case below a gigabyte.
	maxFlows = 1 << 22
	// maxFlowBytes is what that simulator's 32-bit flow size holds.
	maxFlowBytes = 1<<32 - 1
	// maxPayload leaves room for the headers below IPv4's 65,535 bytes.
	maxPayload = 65000
	// maxBufferMiB is the last one whose bytes fit that simulator's 32 bits.
	maxBufferMiB = 4095
	// maxThresholdKB is the last one whose bytes fit that simulator's 32 bits.
	maxThresholdKB = 4294967
	// maxSeconds keeps a time well inside 64 bits of picoseconds.
	maxSeconds = 1_000_000
	// maxRate is 100 Tb/s: no port is that fast, and rate times delay fits 64 bits.
	maxRate = 100_000_000_000_000
	// maxDelaySeconds is a link around the earth, generously.
	maxDelaySeconds = 1
	// maxCount is more stages, times or units than any configuration has.
	maxCount = 1 << 20
	// maxMapEntries is more link rates than Ethernet has.
	maxMapEntries = 64
	// maxProblems is how many problems are told before the rest is counted.
	maxProblems = 50
	// maxRouteEntries keeps the tables of NextHops below 256 MiB.
	maxRouteEntries = 1 << 26
)
