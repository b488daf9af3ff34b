package weft

import (
	"context"
	"errors"

	"weft/internal/study/serve"
	"weft/internal/study/training"
	"weft/results"
	"weft/scenario"
)

var (
	errNoTraining = errors.New("the scenario has no training job: want one with a training section")
	errNoServing  = errors.New("the scenario has no serving job: want one with a serving section")
	errJobOptions = errors.New("Options.Finished, ExactCheck and AutoSeeds are of sizes: a job has none")
	errNoRecords  = errors.New("Options.Series and Live are of runs and steps: a serving job records neither")
)

// Train simulates a step of the scenario's training job on each fabric, as weft train does. If a
// fabric fails or ctx ends, the results have what is complete, and the error gives the reason.
// Options.Finished must be nil, Options.Exact not ExactCheck, Options.Seeds not AutoSeeds.
func Train(ctx context.Context, r *scenario.Resolved, o Options) (*results.Training, error) {
	switch {
	case r == nil || !r.Training.Given():
		return nil, errNoTraining
	case o.Finished != nil || o.Exact == ExactCheck || o.Seeds < 0:
		return nil, errJobOptions
	}
	return training.Run(ctx, r, training.Options{
		Workers: o.Workers, Exact: o.Exact, Seeds: o.Seeds, Progress: o.Progress,
		Series: o.Series, Live: o.Live, Cache: o.Cache,
	})
}

// Serve simulates the scenario's serving job on each fabric, as weft serve does. If a fabric fails
// or ctx ends, the results have what is complete, and the error gives the reason. Options.Finished,
// Series and Live must be nil, Options.Exact ExactOn, Options.Seeds not AutoSeeds.
func Serve(ctx context.Context, r *scenario.Resolved, o Options) (*results.Serving, error) {
	switch {
	case r == nil || !r.Serving.Given():
		return nil, errNoServing
	case o.Finished != nil || o.Exact != ExactOn || o.Seeds < 0:
		return nil, errJobOptions
	case o.Series != nil || o.Live != nil:
		return nil, errNoRecords
	}
	return serve.Run(ctx, r, serve.Options{Workers: o.Workers, Seeds: o.Seeds, Progress: o.Progress, Cache: o.Cache})
}
