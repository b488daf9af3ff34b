package weft

import (
	"context"

	"weft/internal/sim"
	"weft/internal/sim/scenario"
)

// Load reads a scenario file. A file that cannot be read is an [io/fs.PathError]; one that
// is wrong is an [Errors].
func Load(path string) (*File, error) { return scenario.Load(path) }

// Parse reads a scenario from YAML, at most 1 MiB. name stands before errors. Files that the
// scenario names are found from the process's folder on.
func Parse(name string, text []byte) (*File, error) { return scenario.Decode(name, text) }

// New is a scenario that is written in Go; name stands before errors. A field that is zero
// has the value of its preset or the default.
func New(name string, s *Scenario) (*File, error) { return scenario.New(name, s) }

// ParseOverlay reads fields that File.Under lays over scenarios, such as a file of weft
// calibrate. name stands before errors.
func ParseOverlay(name string, text []byte) (*Overlay, error) {
	return scenario.DecodeOverlay(name, text)
}

// Set is an override for File.Resolve. path is a field by its name in a scenario file:
// fabrics[0].ethernet.ecn.enabled. value is of the field's type: an integer, a bool, a text,
// a quantity of package units, a [Ratio], or a list or section, whose fields that are zero are
// not mentioned. origin names the override in errors.
func Set(path string, value any, origin string) Override { return scenario.Set(path, value, origin) }

// Run simulates a scenario: each size on each fabric. Where ctx ends it stops, and gives what
// it has, with Partial set, and the error of ctx. Where a simulation fails, its [Point] has
// the reason, the error joins the reasons, and the other points are whole. Without results
// the scenario cannot be built, and the error says why.
func Run(ctx context.Context, r *Resolved, o Options) (*Results, error) { return sim.Run(ctx, r, o) }

// AutoSeeds as Options.Seeds simulates a size with three to five seeds where it is small
// enough for that, and with one where it is not. The choice depends on the scenario alone.
const AutoSeeds = sim.AutoSeeds

// The settings of a run and its progress.
type (
	// Options are how [Run] simulates. The zero value takes all cores and reports nothing.
	Options = sim.Options
	// Progress is how far a run has come; Options.Progress gets it.
	Progress = sim.Progress
	// Finished is a simulation that has ended; Options.Finished gets it.
	Finished = sim.Finished
)
