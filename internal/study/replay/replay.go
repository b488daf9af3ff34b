package replay

import (
	"context"
	"errors"
	"fmt"

	"weft/internal/formats/source"
	"weft/internal/sim"
	"weft/internal/sim/run/control"
	"weft/internal/sim/run/executor"
	"weft/internal/sim/run/network"
	"weft/internal/sim/run/phases"
	"weft/internal/sim/workload"
	"weft/internal/study/many"
	"weft/results"
	"weft/scenario"
	"weft/units"
)

// Options are settings of the caller.
type Options struct {
	// Whole simulates every communication as it comes. Otherwise, if all ranks do the same, each
	// distinct phase is simulated once.
	Whole bool
	// Exact says whether simulations skip periods in which they repeat themselves exactly. ExactCheck
	// needs a workload that is simulated as it comes.
	Exact sim.Exact
	// Progress, if not nil, is called after each fabric, and while a workload is simulated as it comes; never concurrently.
	Progress func(sim.Progress)
}

// Run runs a workload from files on each fabric of a scenario. The workload must have passed Check.
// The result is not nil once a fabric was tried; the error joins the errors of the fabrics.
func Run(ctx context.Context, r *scenario.Resolved, w *source.Workload, o Options) (*results.Replay, error) {
	if gpus := r.Cluster.Ranks(); w.Ranks > gpus {
		return nil, fmt.Errorf("%s has %d ranks, and the cluster %d GPUs (%d nodes with %d): give it more nodes", w.Files[0], w.Ranks, gpus, r.Cluster.Nodes, r.Cluster.Node.GPUs)
	}
	if n := w.Ops(); o.Whole && n > workload.MaxOps {
		return nil, fmt.Errorf("%s has %d operations when all ranks are written out: weft takes at most %d; leave out --whole", w.Files[0], n, workload.MaxOps)
	}
	out := &results.Replay{
		Version: results.ReplayVersion, Scenario: r.Name, Nodes: r.Cluster.Nodes, GPUs: r.Cluster.Ranks(), Seed: r.Run.Seed, Source: describeSource(w),
	}
	var errs []error
	tally := many.NewTally(len(r.Fabrics), o.Progress)
	for i := range r.Fabrics {
		f := &r.Fabrics[i]
		res := results.ReplayFabric{Name: f.Name, Protocol: string(f.Kind), Rate: f.Link.Rate()}
		o.Progress = tally.Of(i, f.Name)
		err := replayOn(ctx, r, f, w, &o, &res)
		if ctx.Err() != nil {
			out.Partial = true
			return out, ctx.Err()
		}
		if err != nil {
			res.Failure = err.Error()
			errs = append(errs, fmt.Errorf("%s: %w", f.Name, err))
		}
		out.Fabrics = append(out.Fabrics, res)
		tally.Ended(i, f.Name, false)
	}
	return out, errors.Join(errs...)
}

// replayOn runs a workload on one fabric.
func replayOn(ctx context.Context, r *scenario.Resolved, f *scenario.Fabric, w *source.Workload, o *Options, res *results.ReplayFabric) error {
	p, err := control.NewPlan(r, f)
	if err != nil {
		return err
	}
	if w.Folded != nil && !o.Whole {
		executor.AllocateForPhases(p, executor.LayoutOf(&r.Cluster, p.Fabric), w.Folded.Phases)
		res.Reduction = p.Aggregation.Result()
		return replayFolded(ctx, p, r, w.Folded, o.Exact == sim.ExactOn, res)
	}
	g := w.Whole()
	executor.AllocateForGraph(p, executor.LayoutOf(&r.Cluster, p.Fabric), g)
	res.Reduction = p.Aggregation.Result()
	x, err := sim.Execute(ctx, p, r, g, o.Exact, o.Progress)
	if err != nil {
		return err
	}
	res.Flows, res.Hottest, res.Counts = x.Flows, x.Hottest, x.Counts
	tellReplay(res, g, x.Timeline)
	return nil
}

// replayFolded simulates each phase once, all its groups at once, and assembles the workload from
// their times.
func replayFolded(ctx context.Context, p *network.Plan, r *scenario.Resolved, f *workload.Folded, skip bool, res *results.ReplayFabric) error {
	runs, err := phases.RunPhases(ctx, p, r, f.Phases, skip)
	if err != nil {
		return err
	}
	took := make([][]units.Time, len(f.Phases)) // by phase and rank of the graph
	for i, run := range runs {
		took[i] = make([]units.Time, len(f.Stands))
		for rank, stands := range f.Stands {
			for _, real := range stands {
				took[i][rank] = max(took[i][rank], run.Took[real])
			}
		}
		res.Counts.Add(&run.Counts)
		if phases.Busier(run.Hottest, res.Hottest) {
			res.Hottest, res.HottestIn, res.Flows = run.Hottest, f.Phases[i].Name, run.Flows
		}
	}
	line, err := workload.Replay(f.Graph, func(phase int32, rank int) units.Time { return took[phase][rank] })
	if err != nil {
		return err
	}
	tellReplay(res, f.Graph, line)
	res.Simulated = int64(len(f.Phases))
	for rank, ops := range f.Graph.Ranks {
		for i := range ops {
			if ops[i].Kind == workload.Collective {
				res.Communications++
			}
		}
		for i := range res.Kinds { // Kinds counts the expanded workload
			res.Kinds[i].Count *= int64(len(f.Stands[rank]))
			res.Kinds[i].Bytes *= int64(len(f.Stands[rank]))
		}
	}
	return nil
}

// tellReplay fills in the results of a timeline.
func tellReplay(res *results.ReplayFabric, g *workload.Graph, line *workload.Timeline) {
	res.TimePs = int64(line.End)
	n := units.Time(len(g.Ranks))
	var computing, exposed, waiting, idle units.Time
	for _, a := range workload.Accounts(g, line) {
		computing, waiting, idle = computing+a.Computing, waiting+a.Waiting, idle+a.Bubble
		for _, e := range a.Exposed {
			exposed += e
		}
	}
	res.ComputingPs, res.ExposedPs, res.WaitingPs, res.IdlePs = int64(computing/n), int64(exposed/n), int64(waiting/n), int64(idle/n)
	for _, k := range workload.Kinds(g, line) {
		name := k.Kind.String()
		if k.Kind == workload.Collective {
			name = k.Do.String()
		}
		res.Kinds = append(res.Kinds, results.ReplayKind{
			Purpose: k.Purpose.String(), Kind: name, Count: k.Count, Bytes: int64(k.Bytes), MovingPs: int64(k.Moving),
		})
	}
}

// describeSource is a workload in the form of the results.
func describeSource(w *source.Workload) results.ReplaySource {
	out := results.ReplaySource{Format: w.Format, Files: w.Files, Ranks: w.Ranks, Operations: int64(w.Ops()), Units: w.Units, Assumptions: w.Assumptions}
	if w.Stopped != nil {
		out.Stopped = w.Stopped.Error()
	}
	g, stands := w.Graph, func(int) int64 { return 1 }
	if g == nil {
		g, stands = w.Folded.Graph, func(rank int) int64 { return int64(len(w.Folded.Stands[rank])) }
	}
	for rank, ops := range g.Ranks {
		n := stands(rank)
		for i := range ops {
			switch o := &ops[i]; o.Kind {
			case workload.Send:
				out.Sends += n
				out.SendBytes += n * int64(o.Bytes)
			case workload.Collective:
				out.Collectives += n
				out.CollectiveBytes += n * int64(o.Bytes)
			}
		}
	}
	out.ComputingPs = int64(g.Computing())
	return out
}
