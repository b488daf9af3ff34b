package calibrate

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"

	"weft/internal/base/cores"
	"weft/internal/sim"
	"weft/internal/study/latency"
	"weft/internal/study/many"
	"weft/results"
	"weft/scenario"
	"weft/units"
)

// Options are settings of the caller.
type Options struct {
	Simulate many.Runner
	Workers  int // cores; 0 is all
	// MaxSize is the largest simulated size; 0 for a size that takes a second or two.
	MaxSize units.Bytes
	// Sizes is the maximum number of sizes of a table, 0 for maxPoints.
	Sizes int
	// Nodes is the number of nodes of the log; 0 to take it from the log.
	Nodes int
	// Known is weft's error on this cluster, as the root mean square of ln(predicted / measured); 0
	// for the error on published tables of healthy clusters.
	Known   float64
	without string // a table left out of the error
	coarse  bool   // severities between those tried are not simulated
	whole   bool   // every variant is simulated at every size
	// First, if not nil, is called once, as soon as the cluster as described is simulated: its Predicted is known, larger sizes by the
	// bandwidth of smaller ones, and no cause.
	First func(*Diagnosis)
	// Progress, if not nil, is called after each simulation, never concurrently. It names a cause or
	// a step in place of a fabric.
	Progress func(sim.Progress)
}

// each does independent work on the cores, which its parts share evenly.
func (o *Options) each(parts int, do func(part int, own *Options)) {
	workers := o.Workers
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	own := *o
	own.Workers = max(1, workers/max(1, parts))
	cores.Each(parts, workers, func(i int) { do(i, &own) })
}

// predict simulates a task under overrides: a time for each of its points.
func (c *Cluster) predict(ctx context.Context, t *Task, over []scenario.Override, o *Options) ([]units.Time, error) {
	r, err := c.under(t, over)
	if err != nil {
		return nil, err
	}
	return t.simulate(ctx, r, c.Hops, o)
}

// under is a task's scenario, with what the log states, and overrides.
func (c *Cluster) under(t *Task, over []scenario.Override) (*scenario.Resolved, error) {
	return c.resolve(slices.Concat(t.over, t.stated(func(*Stated) bool { return true }), over))
}

// simulate runs a task in a scenario: a time for each of its points.
func (t *Task) simulate(ctx context.Context, r *scenario.Resolved, hops int, o *Options) ([]units.Time, error) {
	times, err := t.run(ctx, r, hops, o)
	if err != nil {
		return nil, err
	}
	return t.compared(times), nil
}

// simulateSize simulates one of a task's sizes, by its index.
func (t *Task) simulateSize(
	ctx context.Context, r *scenario.Resolved, size, hops int, o *Options,
) (units.Time, error) {
	one := *t
	one.simulated = slices.Concat(t.simulated, t.farther)[size : size+1]
	if t.kind == exchange {
		one.tokens = t.tokens[size : size+1]
	}
	times, err := one.run(ctx, r, hops, o)
	if err != nil {
		return 0, err
	}
	return times[0], nil
}

// run simulates the sizes of a task.
func (t *Task) run(ctx context.Context, r *scenario.Resolved, hops int, o *Options) ([]units.Time, error) {
	switch t.kind {
	case bandwidth:
		return bandwidths(ctx, r, t, o)
	case oneMessage:
		return latencies(ctx, r, t, hops)
	case exchange:
		return exchanges(ctx, r, t, o)
	case copies:
		return messages(ctx, r, t, r.Workload.Flows, o) // all at once, over the pairs of NICs
	}
	run := *r
	run.Workload.Sizes = nil
	for _, bytes := range t.simulated {
		run.Workload.Sizes = append(run.Workload.Sizes, units.Bytes(bytes))
	}
	results, err := o.Simulate(ctx, &run, sim.Options{Workers: o.Workers})
	if err != nil {
		return nil, shortened(err)
	}
	if results.Partial {
		return nil, context.Canceled
	}
	return times(results), nil
}

// shortened is the first line of an error: failed runs have long ones.
func shortened(err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	line, _, more := strings.Cut(err.Error(), "\n")
	const most = 160
	if len(line) > most || more {
		line = line[:min(most, len(line))] + " …"
	}
	return errors.New(line)
}

// times are the times of a result's only fabric.
func times(results *results.Results) (out []units.Time) {
	for _, p := range results.Fabrics[0].Points {
		out = append(out, p.Time)
	}
	return out
}

// bandwidths simulates perftest: messages of a size, posted one after another, from one NIC to another, the first of the
// second node.
func bandwidths(ctx context.Context, r *scenario.Resolved, t *Task, o *Options) ([]units.Time, error) {
	to := r.Cluster.Node.NICs
	flows := []scenario.Flow{{Src: 0, Dst: to}}
	if t.Table.Bidirectional { // perftest adds up both directions
		flows = append(flows, scenario.Flow{Src: to, Dst: 0})
	}
	return messages(ctx, r, t, flows, o)
}

// messages simulates many messages of each size, over the flows in turn; the time of a message is the total over their
// number.
func messages(ctx context.Context, r *scenario.Resolved, t *Task, over []scenario.Flow, o *Options) (out []units.Time, err error) {
	for _, bytes := range t.simulated {
		count := len(over) * int(min(maxFlows, max(minFlows, flowBytes/bytes)))
		w := scenario.Workload{Pattern: scenario.Flows, Transport: scenario.RC, Operation: scenario.Operation(t.Table.Op)}
		for i := range count {
			f := over[i%len(over)]
			f.Bytes = units.Bytes(bytes)
			w.Flows = append(w.Flows, f)
		}
		run := *r
		run.Workload = w
		results, err := o.Simulate(ctx, &run, sim.Options{Workers: o.Workers})
		if err != nil {
			return nil, shortened(err)
		}
		out = append(out, times(results)[0]/units.Time(count))
	}
	return out, nil
}

// latencies simulates a ping-pong of one message of each size.
func latencies(ctx context.Context, r *scenario.Resolved, t *Task, hops int) (out []units.Time, err error) {
	for _, bytes := range t.simulated {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		m, err := latency.Measure(r, &r.Fabrics[0], latency.Spec{
			Bytes: units.Bytes(bytes), Op: latency.Op(t.Table.Op), Hops: hops, Iterations: 1,
		})
		if err != nil {
			return nil, shortened(fmt.Errorf("%w", err))
		}
		out = append(out, m.Trips[0])
	}
	return out, nil
}
