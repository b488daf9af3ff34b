package chakra

const (
	// maxMessage bounds a message: a node with the lists of ten thousand ranks is a
	// megabyte.
	maxMessage = 64 << 20
	// maxNumber keeps times and sizes within 63 bits of picoseconds and bytes.
	maxNumber = 1 << 42
	// maxGroupsFile bounds a file of process groups: a hundred thousand ranks, each in ten groups,
	// take seven megabytes.
	maxGroupsFile = 64 << 20
	// maxJSON bounds a trace in JSON: a million nodes of a kilobyte.
	maxJSON = 1 << 30
	// maxRanks bounds the ranks of a job, as the names of files do: no cluster has as many.
	maxRanks = 1_000_000
	// maxGroups bounds the groups of a rank: each takes a stream.
	maxGroups = 250
)

// microsecond is the unit of durations, in picoseconds.
const microsecond = 1_000_000
