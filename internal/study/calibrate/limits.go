package calibrate

// Bounds, each with its reason.
const (
	maxPoints = 6        // sizes of a table that hypotheses are tried at: a curve's ends, bend and slopes
	maxTables = 16       // of a log that are laid beside a prediction: each is simulated with every variant
	maxMoved  = 4 << 30  // bytes of size times ranks of the largest size that is simulated: half a second each
	maxFitted = 1 << 30  // the same of a fit, which simulates every size for each step of its search
	maxFlows  = 256      // messages of one of perftest's sizes: enough that the first is of no weight
	flowBytes = 64 << 20 // that they carry at the most, if that is two messages or more
	minFlows  = 4
	// refinements are rounds of severities between those that were tried. refinedHypotheses
	// is of how many of the likeliest: more are not shown.
	refinements       = 2
	refinedHypotheses = 4
	betweenTwo        = 4  // steps between two severities that were simulated
	maxEvals          = 80 // simulations of all fitting sizes in a search
)

// knownPerftest is how far perftest's own bandwidths and latencies spread: the
// bands that clouds accept are 2.5 to 5 % below the line rate (OCI and Azure,
// docs/DIAGNOSE.md), twice the spread; for latencies no healthy table of one system was
// found that names its NIC, cables and path, and a sixth is an assumption.
const (
	knownBandwidth = .025
	knownLatency   = .167
)

// leastNoise is what a log's noise is taken for where its own two measurements of each
// size differ less, or it has one: an assumption.
const leastNoise = .005

// Probabilities.
const (
	likely       = .5  // from which on an answer is given: more than of all others together
	certain      = .95 // of a healthy cluster, from which on faults are searched no further
	worthTelling = .03 // of a cause that is named
)
