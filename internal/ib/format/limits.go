package format

const (
	// maxLine is the longest line in bytes. The longest that a tool prints has
	// two descriptions of 64 bytes and twenty numbers, or 255 columns of a LID
	// matrix.
	maxLine = 64 << 10

	// maxProblems is how many errors of one file are listed; more are counted.
	maxProblems = 50

	// maxSkipped is how many kinds of unknown lines are named; further kinds
	// are counted as one.
	maxSkipped = 20

	// maxNotes is how many remarks on one file are kept; more are counted.
	maxNotes = 100

	// maxNodes is how many nodes one file may have. A subnet has 49,151
	// unicast LIDs, and a node without one takes no part in it.
	maxNodes = 1 << 16

	// maxPorts is how many ports the nodes of one file may have together, 24
	// bytes each: a subnet of only switches with 64 ports has 3.2 million.
	maxPorts = 1 << 22

	// maxIncludes is how deep nets include nets, and how many they may include
	// in all: a net that includes itself ends here.
	maxIncludes = 64
)
