package weft

import (
	"context"
	"errors"
	"fmt"

	"weft/internal/sim"
	"weft/internal/study/many"
	"weft/internal/study/sweep"
	"weft/results"
	"weft/scenario"
)

// Outcome is what [Run] returns for a scenario of [Many]. Its fields:
//
//	Results *results.Results
//	Err     error
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

// Variants are the scenarios of the file's sweep section for [Many], in the order of the rows of weft
// sweep: each has one fabric, one size and one seed. An error names the first variant that is not valid.
// A sweep of serving jobs is for [Serve], variant by variant.
func Variants(file *scenario.File, overrides ...scenario.Override) ([]*scenario.Resolved, error) {
	space, err := sweep.NewSpace(file, overrides...)
	if err != nil {
		return nil, err
	}
	variants := make([]*scenario.Resolved, space.Len())
	for i := range variants {
		v := space.Variant(i)
		if variants[i], err = space.Resolve(file, &v); err != nil {
			return nil, fmt.Errorf("variant %d: %w", i, err)
		}
	}
	return variants, nil
}
