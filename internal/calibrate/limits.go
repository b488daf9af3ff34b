package calibrate

import (
	"weft/units"
)

// Bounds, each with its reason.
const (
	maxPoints = 6        // sizes of a table that hypotheses are tried at: a curve's ends, bend and slopes
	maxTables = 16       // of a log that are laid beside a prediction: each is simulated with every variant
	maxMoved  = 4 << 30  // bytes of size times ranks of the largest size that is simulated: half a second each
	maxFitted = 1 << 30  // the same of a fit, which simulates every size for each step of its search
	maxFlows  = 256      // messages of one of perftest's sizes: enough that the first is of no weight
	flowBytes = 64 << 20 // that they carry at the most, if that is two messages or more
	minFlows  = 4
	// refinements are rounds of severities between those that were tried: each about
	// halves what is left. refinedFamilies is of how many families: more are not shown.
	refinements     = 3
	refinedFamilies = 5
	maxEvals        = 80 // simulations of all fitting sizes in a search
)

// errorBand is how far off weft is known to be, up to a size: the larger of measured
// and predicted time is so much more than the other.
type errorBand struct {
	below  units.Bytes
	reduce float64 // of an all-reduce
	others float64 // of other operations
}

// knownErrors are the worst errors, by size, of the validation's measured tables of
// healthy clusters whose network weft models: of all-reduce nccl/A4 and nccl/A5 of
// docs/VALIDATION.md, of other operations the all-gather of nccl/H200. A test holds
// them against that page.
var knownErrors = []errorBand{
	{units.MiB, .171, .60},
	{128 * units.MiB, .429, .516},
	{1 << 62, .10, .33},
}

// knownPerftest is how far perftest's own bandwidths and latencies may be off: the
// bands that clouds accept are 2.5 to 5 % below the line rate (OCI and Azure,
// docs/DIAGNOSE.md); for latencies no healthy table of one system was found that
// names its NIC, cables and path, and a third is an assumption.
const (
	knownBandwidth = .05
	knownLatency   = .33
)

// sameMatch is how close two matches must be to count as equal where the log has no
// noise of its own.
const sameMatch = .005
