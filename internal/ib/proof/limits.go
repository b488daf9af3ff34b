package proof

const (
	// maxExamples is how many places a finding names: more are not read.
	maxExamples = 10
	// maxWorst is how many of the most loaded cables a report lists.
	maxWorst = 10
	// maxCycles is the number of disjoint credit loops that a report shows; a lane
	// rarely has more than one.
	maxCycles = 16
	// maxShiftCounters bounds the memory for loads of shifts, 2 bytes each and
	// per core: with more shifts than fit, evenly spaced ones are walked.
	maxShiftCounters = 8 << 20
	// maxSearch bounds the edges that the search for the shortest cycle looks
	// at: seconds. Beyond it the cycle found so far is shown.
	maxSearch = 400 << 20
)
