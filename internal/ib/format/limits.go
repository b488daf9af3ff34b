package format

const (
	// maxLine is the longest line in bytes. The longest that a tool prints has
	// two descriptions of 64 bytes and twenty numbers, or 255 columns of a LID
	// matrix.
	maxLine = 64 << 10

	// maxProblems is the number of listed errors of one file; further errors are counted.
	maxProblems = 50

	// maxSkipped is the number of named kinds of unknown lines; further kinds are counted as one.
	maxSkipped = 20

	// maxNotes is the number of kept remarks on one file; further remarks are counted.
	maxNotes = 100

	// maxNodes is the maximum number of nodes of one file. A subnet has 49,151
	// unicast LIDs, and a node without a LID takes no part in it.
	maxNodes = 1 << 16

	// maxPorts is the maximum number of ports of all nodes of one file, 24
	// bytes each: a subnet of only switches with 64 ports has 3.2 million.
	maxPorts = 1 << 22

	// maxIncludes is the maximum depth of nets that include nets, and the maximum number of
	// inclusions. It ends a net that includes itself.
	maxIncludes = 64
)
