package sim

import (
	"context"
	"errors"
	"reflect"

	"weft/internal/sim/run/executor"
	"weft/internal/sim/run/network"
	"weft/internal/sim/scenario"
	"weft/internal/sim/workload"
)

// Execute executes a workload with or without skipping, or both ways. See executor.Execute.
func Execute(ctx context.Context, p *network.Plan, r *scenario.Resolved, g *workload.Graph, e Exact) (*executor.Execution, error) {
	if e != ExactCheck {
		return executor.Execute(ctx, p, r, g, e == ExactOn)
	}
	silent := *p // a simulation that records does not skip
	silent.Series = nil
	with, failed := executor.Execute(ctx, &silent, r, g, true)
	without, err := executor.Execute(ctx, p, r, g, false)
	if ctx.Err() != nil || err != nil && failed != nil {
		return without, err
	}
	if !sameExecution(with, without) || (failed == nil) != (err == nil) {
		return without, errors.New("the workload has other results if repeated periods are skipped: " + differs)
	}
	without.Counts.Skipped = with.Counts.Skipped
	return without, err
}

// sameExecution compares two results, but for what the engine did.
func sameExecution(a, b *executor.Execution) bool {
	if a == nil || b == nil {
		return a == b
	}
	x, y := *a, *b
	x.Counts, y.Counts = x.Counts.WithoutWork(), y.Counts.WithoutWork()
	return reflect.DeepEqual(x, y)
}
