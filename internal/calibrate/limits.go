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
	maxEvals  = 80 // simulations of all fitting sizes in a search
)

// errorBand is how far off weft is known to be, up to a size.
type errorBand struct {
	below units.Bytes
	error float64 // as a part of the measured time or bandwidth
}

// knownErrors are the worst errors of the validation's measured tables of healthy
// clusters whose network weft models (nccl/A4 and nccl/A5 of docs/VALIDATION.md),
// by size. A test holds them against that page.
var knownErrors = []errorBand{
	{units.MiB, .171},
	{128 * units.MiB, .429},
	{1 << 62, .10},
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
