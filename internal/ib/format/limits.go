package format

const (
	// maxLine is the longest line in bytes. The longest that a tool prints has
	// two descriptions of 64 bytes and twenty numbers, or 255 columns of a LID
	// matrix.
	maxLine = 64 << 10

	// maxProblems is the number of errors of one file that are listed; more are counted.
	maxProblems = 50

	// maxSkipped is the number of kinds of unknown lines that are named; further kinds
	// are counted as one.
	maxSkipped = 20

	// maxNotes is the number of remarks on one file that are kept; more are counted.
	maxNotes = 100

	// maxNodes is the maximum number of nodes of one file. A subnet has 49,151
	// unicast LIDs, and a node without one takes no part in it.
	maxNodes = 1 << 16

	// maxPorts is the maximum number of ports of all nodes of one file, 24
	// bytes each: a subnet of only switches with 64 ports has 3.2 million.
	maxPorts = 1 << 22

	// maxIncludes is the maximum depth of nets that include nets, and the maximum number
	// of inclusions: a net that includes itself ends here.
	maxIncludes = 64
)
