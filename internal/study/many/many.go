package many

import (
	"context"
	"errors"
	"runtime"

	"weft/internal/base/cores"
	"weft/internal/sim"
	"weft/results"
	"weft/scenario"
)

// Runner simulates a scenario; sim.Run is one. If ctx ends it returns the results so far, with
// Partial set, and a nil or a context error.
type Runner func(ctx context.Context, r *scenario.Resolved, o sim.Options) (*results.Results, error)

// Options are the settings of Rows. Rows do not depend on them, but for those of sim.Options.
type Options struct {
	Run     Runner
	Workers int // cores; 0 is all
	// Progress, if not nil, is called now and then, never concurrently. It counts variants.
	Progress func(sim.Progress)
	// Simulation has the settings of each simulation, but for Workers and Progress.
	Simulation sim.Options
}

// Outcome is what a runner returns for a variant.
type Outcome struct {
	Results *results.Results
	Err     error
}

// OutcomeOf makes a row of all that there is.
func OutcomeOf(outcome *results.Results, err error) Outcome { return Outcome{outcome, err} }

// Rows simulates variants, and returns in their order what row makes of the results of each. row
// may be called concurrently. A variant that did not begin before ctx ended has ctx's error.
func Rows[R any](
	ctx context.Context, variants []*scenario.Resolved, o Options, row func(*results.Results, error) R,
) []R {
	workers := o.Workers
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	rows, begun := make([]R, len(variants)), make([]bool, len(variants))
	tally := NewTally(len(variants), o.Progress)
	Each(ctx, len(variants), workers, func(i int) {
		begun[i] = true
		own, name := o.Simulation, nameOf(variants[i])
		own.Workers, own.Progress = max(1, workers/len(variants)), tally.Of(i, name)
		rows[i] = row(o.Run(ctx, variants[i], own))
		tally.Ended(i, name, false)
	})
	for i := range rows {
		if !begun[i] {
			rows[i] = row(nil, ctx.Err())
		}
	}
	return rows
}

// nameOf is the name of a variant's first fabric.
func nameOf(r *scenario.Resolved) string {
	if r == nil || len(r.Fabrics) == 0 {
		return "" // its runner says why not
	}
	return r.Fabrics[0].Name
}

// Each does the pieces 0 to n−1 of a study on so many cores, 0 for all. Once ctx has ended no piece
// begins.
func Each(ctx context.Context, n, workers int, do func(i int)) {
	cores.Each(n, workers, func(i int) {
		if ctx.Err() == nil {
			do(i)
		}
	})
}

var errNothing = errors.New("the simulator gave neither results nor a reason")

// FabricOf is the result of a variant with one fabric.
func FabricOf(outcome *results.Results, err error) (*results.FabricResult, error) {
	switch {
	case err != nil:
		return nil, err
	case outcome == nil || outcome.Partial || len(outcome.Fabrics) != 1:
		return nil, errNothing
	}
	return &outcome.Fabrics[0], nil
}

// PointOf is the result of a variant with one fabric and one size.
func PointOf(outcome *results.Results, err error) (*results.Point, error) {
	switch f, err := FabricOf(outcome, err); {
	case err != nil:
		return nil, err
	case len(f.Points) != 1:
		return nil, errNothing
	default:
		return &f.Points[0], nil
	}
}
