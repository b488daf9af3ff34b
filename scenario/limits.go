package scenario

import "weft/units"

// Bounds on input, each with its reason.
const (
	maxFile       = 16 << 20 // bytes: the resolved scenario of a real fabric of ten thousand ports fits, with its tables
	maxDepth      = 24       // nesting: a scenario needs six
	maxErrors     = 50       // listed; a file with more is of another kind
	maxSizes      = 256      // sizes of a sweep: each is a simulation
	maxName       = 200      // characters of a name: it appears in table headings
	maxAssignment = 2000     // characters of a field with its value: the queues of a switch have some 500
	maxList       = 1 << 16  // items of any list
	maxFaults     = 64       // faults of a run: after each the tables of the whole fabric are computed again
	maxZones      = 256      // of the isolation: every pair is searched
	maxPairs      = 1 << 15  // of zones that must be apart: all pairs of as many zones
	mostCounted   = 1 << 53  // the end of a tuning's range: floats count up to it exactly
	maxParameters = 32       // parameters of a tuning: a search over more needs too many runs of a simulator
	maxValues     = 64       // of a parameter: each is simulated for its sensitivity
	maxSchedule   = 64       // repetitions of a schedule: a NIC has some ten, the rest are regular
	maxExchanged  = 1 << 21  // messages of an exchange at the same time: the executor numbers so many
	maxNames      = 1 << 20  // number of names in all patterns of a file: sixteen for each port of the largest subnet
)

// The memory need of a simulation, for the estimate before it. The numbers are bounds of the
// engine's benchmarks (less than 200 MB at 1,024 endpoints), rounded up. An estimate that refuses
// must not be wrong by much; if the estimate is too low, the run's own limit takes effect.
const (
	bytesPerEndpoint = 64 * units.KiB // NIC, host, ports of its share of switches, buffers in use
	bytesPerRank     = 16 * units.KiB // progress of a collective: lanes, windows
	bytesPerPair     = 768            // two queue pair ends with their timers and messages
	bytesPerReceive  = 32             // a posted receive, in a ring of at most twice as many
	bytesPerMessage  = 128            // of a pattern: its ends and time, in a list that grows by doubling
)
