package weft

import (
	"context"
	"errors"

	"weft/internal/sim"
	"weft/internal/study/many"
	"weft/results"
	"weft/scenario"
)

// Outcome is what [Run] returns for a scenario of [Many].
type Outcome = many.Outcome

var errOneRun = errors.New("Options.Finished, Series and Live follow one run: give them to Run")

// Many simulates scenarios, such as the variants of a study, several at the same time. It returns the
// outcome of each in their order. Options.Workers is the number of cores for all of them; outcomes do
// not depend on it. Options.Progress counts scenarios. If ctx ends, a scenario that has not begun has
// the error of ctx. Options.Finished, Series and Live must be nil.
func Many(ctx context.Context, scenarios []*scenario.Resolved, o Options) []Outcome {
	run := sim.Run
	if o.Finished != nil || o.Series != nil || o.Live != nil {
		run = func(context.Context, *scenario.Resolved, Options) (*results.Results, error) { return nil, errOneRun }
	}
	return many.Rows(ctx, scenarios, many.Options{
		Run: run, Workers: o.Workers, Progress: o.Progress, Simulation: o,
	}, many.OutcomeOf)
}
