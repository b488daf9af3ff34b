package sim

import (
	"context"
	"errors"
	"fmt"
	"reflect"

	"weft/internal/sim/run/executor"
	"weft/internal/sim/run/network"
	"weft/internal/sim/workload"
	"weft/results"
	"weft/scenario"
)

// Execute executes a workload with or without skipping, or both ways. See executor.Execute. progress, if not nil, is called
// while it runs, never concurrently and not afterwards, with what the simulations of this workload have simulated.
func Execute(ctx context.Context, p *network.Plan, r *scenario.Resolved, g *workload.Graph, e Exact, progress func(Progress)) (*executor.Execution, error) {
	w := newWatch(e.ways(), Options{Progress: progress})
	defer w.end()
	if e != ExactCheck {
		return w.execute(ctx, p, r, g, e == ExactOn)
	}
	var series [2]*results.Series
	with, failed := w.execute(ctx, withSeries(p, &series[0]), r, g, true)
	without, err := w.execute(ctx, withSeries(p, &series[1]), r, g, false)
	if ctx.Err() != nil || err != nil && failed != nil {
		return without, err
	}
	if !sameExecution(with, without) || (failed == nil) != (err == nil) {
		return without, errors.New("the workload has other results if repeated periods are skipped: " + Differs)
	}
	if table := series[0].Difference(series[1]); table != "" && err == nil {
		return without, fmt.Errorf("the rows of %s in the series of the workload are others if repeated periods are skipped: "+Differs, table)
	}
	without.Counts.Skipped = with.Counts.Skipped
	return without, err
}

// execute is executor.Execute under the eyes of a watch.
func (w *watch) execute(ctx context.Context, p *network.Plan, r *scenario.Resolved, g *workload.Graph, skip bool) (*executor.Execution, error) {
	own := *p
	j := &job{Task: network.Task{Plan: &own, Scenario: r}}
	own.Started = func(n *network.Network) {
		if p.Started != nil {
			p.Started(n)
		}
		w.started(j, n)
	}
	out, err := executor.Execute(ctx, &own, r, g, skip, nil)
	if err != nil {
		w.left(j)
		return out, err
	}
	w.compared(j, &results.Point{Time: out.Timeline.End, Counts: out.Counts})
	return out, nil
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
