package hpcc

// The bounds of the input, each with its reason.
const (
	// maxFileBytes is the size of a flow file with maxFlows flows, 40 bytes a line.
	maxFileBytes = 160 << 20
	// maxLineBytes is twice the length of the ids of all nodes on one line.
	maxLineBytes = 1 << 20
	// maxNodes is the first id for which a host's address would overflow into its first byte.
	maxNodes = 1 << 16
	// maxPorts is the size of the simulator's own tables (pCnt is 1025, port 0 is not used).
	maxPorts = 1024
	// maxLinks is three times the nodes of a three-level fat tree of that size.
	maxLinks = 1 << 20
	// maxFlows keeps the flows of a case below a gigabyte.
	maxFlows = 1 << 22
	// maxFlowBytes is the limit of the simulator's 32-bit flow size.
	maxFlowBytes = 1<<32 - 1
	// maxPayload leaves room for the headers below IPv4's 65,535 bytes.
	maxPayload = 65000
	// maxBufferMiB is the largest value whose bytes fit the simulator's 32 bits.
	maxBufferMiB = 4095
	// maxThresholdKB is the largest value whose bytes fit the simulator's 32 bits.
	maxThresholdKB = 4294967
	// maxSeconds keeps a time well inside 64 bits of picoseconds.
	maxSeconds = 1_000_000
	// maxRate is 100 Tb/s: no port is so fast, and rate times delay fits 64 bits.
	maxRate = 100_000_000_000_000
	// maxDelaySeconds is more than a link around the earth.
	maxDelaySeconds = 1
	// maxCount is more stages, times or units than any configuration has.
	maxCount = 1 << 20
	// maxMapEntries is more link rates than Ethernet has.
	maxMapEntries = 64
	// maxProblems is the number of problems that are listed; the rest is counted.
	maxProblems = 50
	// maxRouteEntries keeps the tables of NextHops below 256 MiB.
	maxRouteEntries = 1 << 26
)
