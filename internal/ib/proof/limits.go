package proof

const (
	// maxExamples is the number of places that a finding names.
	maxExamples = 10
	// maxWorst is the number of most loaded cables that a report lists.
	maxWorst = 10
	// maxCycles is the number of disjoint credit loops that a report shows; a lane
	// rarely has more than one.
	maxCycles = 16
	// maxShiftCounters bounds the memory for loads of shifts, 2 bytes each, per worker. If not all
	// shifts fit, evenly spaced shifts are walked.
	maxShiftCounters = 8 << 20
	// maxSearch is the number of edges that the search for the shortest cycle follows, for some
	// seconds. At this bound the report shows the shortest cycle so far.
	maxSearch = 400 << 20
)
