package calibrate

// Bounds, each with its reason.
const (
	maxPoints = 6  // sizes of a table for hypotheses: a curve's ends, bend and slopes
	maxTables = 16 // tables of a log that are compared: each is simulated with every variant
	// maxMoved is the bytes of size times ranks of the largest size between nodes that is simulated of
	// a cause, maxBetween those of the size alone, maxInNode those in one node, without the ranks: a
	// quarter of a second each, and long enough for an even flow. maxRaised times as much is simulated
	// of a table that begins above that. The cluster as described is simulated to fartherBy times as
	// much, and to the first size of a table up to farthest: NCCL's last change of algorithm or protocol lies below for most clusters.
	maxMoved   = 4 << 30
	maxBetween = 64 << 20
	maxInNode  = 128 << 20
	maxRaised  = 4
	fartherBy  = 16
	farthest   = 16 << 30 // of a table that begins there
	maxFlows   = 256      // messages of one of perftest's sizes: enough to make the first one negligible
	flowBytes  = 64 << 20 // their maximum total size, if that is two messages or more
	minFlows   = 4
	// Of the causes that fit best, kinds of times: farKinds go on to a size four times as large as that of all causes, a
	// quarter of a second each, fewer to larger ones, and leastFar to any. farRounds times more the new times choose again.
	farKinds  = 12
	leastFar  = 6
	farRounds = 2
	// refinements is the number of rounds of severities between those tried, refinedHypotheses the
	// number of the likeliest hypotheses that are refined: more are not shown.
	refinements       = 2
	refinedHypotheses = 4
	betweenTwo        = 4  // steps between two simulated severities
	usualEvals        = 60 // simulations of all fitted sizes in a search, for its progress
)

// knownPerftest is the spread of perftest's own bandwidths and latencies. Bandwidth: clouds accept
// 2.5 to 5 % below the line rate (OCI and Azure, docs/DIAGNOSE.md), twice the spread. Latency: no
// healthy table of one system was found that names its NIC, cables and path; a sixth is an
// assumption.
const (
	knownBandwidth = .025
	knownLatency   = .167
)

// knownExchange is the spread of the times of kernels for experts: an assumption, one and a half times the
// largest error of the rows that fitted their constants (docs/INFERENCE.md).
const knownExchange = .08

// oldSpread is the error of ln(time) that rules of a newer NCCL than the log's add: an assumption.
const oldSpread = .2

// leastNoise is the minimum noise of a log, used if its two measurements of each size differ less,
// or if it has one measurement: an assumption.
const leastNoise = .005

// slowShare is the part of a healthy cluster's time that a log may take more at a size and be called
// healthy: an assumption. A quarter of a cluster's bandwidth is worth a second measurement.
const slowShare = .25

// Probabilities.
const (
	likely       = .5  // at which an answer is given: more than all others together
	acquitted    = .2  // of a healthy cluster, at which no fault is proved
	certain      = .95 // of a healthy cluster, at which the search for faults ends
	worthTelling = .03 // of a cause, at which it is named
)
