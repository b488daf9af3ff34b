package phases

import (
	"context"
	"fmt"

	"weft/internal/sim/collective"
	"weft/internal/sim/run/executor"
	"weft/internal/sim/run/network"
	"weft/internal/sim/runstore"
	"weft/internal/sim/scenario"
	"weft/internal/sim/workload"
	"weft/units"
)

// Run is a phase of a workload that was carried out by itself, all its groups at
// once.
type Run struct {
	Took    []units.Time // by rank of the cluster; -1 of ranks that take no part
	Groups  int          // that were simulated for it
	Parts   int          // in which its messages were simulated by the ways that they take
	moved   int64        // bytes that were simulated, of its own groups and of those that stand for them
	skipped int64        // bytes whose time is known from the steady rate
	Counts  runstore.Counts
	Flows   runstore.Distribution
	Hottest []runstore.HotLink
	Plan    *executor.PlannedCollective // nil where nothing was planned
	Beside  []runstore.Stream           // what streams got done meanwhile
}

// Share is the part of the bytes that was simulated.
func (r *Run) Share() float64 {
	if r.skipped == 0 {
		return 1
	}
	return float64(r.moved) / float64(r.moved+r.skipped)
}

// IslandRun is an island that was carried out.
type IslandRun struct {
	*executor.Execution
	times          []units.Time // by rank of the cluster
	moved, skipped int64        // bytes, as the fast-forward has them
}

// RunPhases carries phases out, one after another.
func RunPhases(ctx context.Context, p *network.Plan, r *scenario.Resolved, phases []workload.Phase) ([]*Run, error) {
	f := Fold(p, r, phases)
	runs := make([]*IslandRun, len(f.Islands))
	for i, own := range f.Islands {
		var err error
		if runs[i], err = RunIsland(ctx, p, r, &own.Phase); err != nil {
			return nil, err
		}
	}
	return Of(ctx, p, r, phases, f, runs)
}

// RunIsland carries an island out. What stays inside nodes feels nothing of what
// disturbs the fabric.
func RunIsland(ctx context.Context, p *network.Plan, r *scenario.Resolved, phase *workload.Phase) (*IslandRun, error) {
	if calm := Calm(p); calm != nil && inNodes(executor.LayoutOf(&r.Cluster), phase) {
		p = calm
	}
	var forward *executor.Forwarder
	if steady(p) {
		forward = new(executor.Forwarder)
	}
	x, err := executor.Forwarded(ctx, p, r, phase.Graph(r.Cluster.Ranks()), forward)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", phase.Name, err)
	}
	out := &IslandRun{Execution: x, times: phase.Times(x.Timeline)}
	out.moved, out.skipped = forward.Bytes()
	return out, nil
}

// inNodes reports whether each group of a phase stays inside a node.
func inNodes(cluster collective.Layout, phase *workload.Phase) bool {
	for _, g := range phase.Groups {
		for _, rank := range g {
			if cluster.Node(int(rank)) != cluster.Node(int(g[0])) {
				return false
			}
		}
	}
	return true
}

// trouble reports whether switches that islands share may have let one feel the other:
// by what waits in them, or by a draw.
func (r *IslandRun) trouble() bool {
	return r.Counts.Marks > 0 || r.Counts.Pauses > 0 || r.Counts.Drops() > 0
}

// spread reports whether what waited on the links of an island's messages may have held
// up more than those: what a pause stops, or a buffer that others share.
func (r *IslandRun) spread() bool { return r.Counts.Pauses > 0 || r.Counts.Drops() > 0 }

// Of puts phases together from the islands that were run. Where the islands of a
// phase may feel each other after all, the whole of it is carried out.
func Of(ctx context.Context, p *network.Plan, r *scenario.Resolved, phases []workload.Phase, f *Folding, runs []*IslandRun) ([]*Run, error) {
	out := make([]*Run, len(phases))
	for i := range phases {
		places, islands, own := f.places[i], f.Islands, runs
		if troubled(i, places, islands, runs) {
			whole, err := RunIsland(ctx, p, r, &phases[i])
			if err != nil {
				return nil, err
			}
			places, islands, own = nil, []*Island{{Phase: phases[i], home: i}}, []*IslandRun{whole}
			for g := range phases[i].Groups {
				places = append(places, placed{0, int32(g)})
			}
		}
		out[i] = gather(&phases[i], i, r.Cluster.Ranks(), places, islands, own)
	}
	return out, nil
}

// troubled reports whether a phase has times from an island that stands for others and
// should not, or from one that may have felt others. An island that is the whole phase
// stands for itself.
func troubled(number int, places []placed, islands []*Island, runs []*IslandRun) bool {
	for _, at := range places {
		own := islands[at.island]
		whole := own.home == number && len(own.Phase.Groups) == len(places)
		if !whole && (own.stands && runs[at.island].trouble() || own.apart && runs[at.island].spread()) {
			return true
		}
	}
	return false
}

// gather takes the times of a phase's groups from the islands that stand for them.
func gather(phase *workload.Phase, number, ranks int, places []placed, islands []*Island, runs []*IslandRun) *Run {
	out := &Run{Took: make([]units.Time, ranks)}
	for i := range out.Took {
		out.Took[i] = -1
	}
	used := make(map[int32]bool)
	for g, at := range places {
		members := islands[at.island].Phase.Groups[at.group]
		for k, rank := range phase.Groups[g] {
			if phase.Kind == workload.Send && k > 0 {
				continue // its time is that of what it sends itself
			}
			out.Took[rank] = max(out.Took[rank], runs[at.island].times[members[k]])
		}
		if used[at.island] {
			continue
		}
		used[at.island] = true
		out.add(islands[at.island], number, runs[at.island])
	}
	return out
}

// add takes in what an island's run says, beside times.
func (r *Run) add(own *Island, number int, run *IslandRun) {
	r.moved, r.skipped = r.moved+run.moved, r.skipped+run.skipped
	if r.Plan == nil && len(run.Plans) > 0 {
		r.Plan = &run.Plans[0]
	}
	if own.home != number { // simulated for an earlier phase
		return
	}
	r.Groups += len(own.Phase.Groups)
	if own.apart {
		r.Parts++
	}
	r.Counts.Add(&run.Counts)
	r.Beside = append(r.Beside, run.Beside...)
	if Busier(run.Hottest, r.Hottest) {
		r.Hottest, r.Flows = run.Hottest, run.Flows
	}
}

// Busier reports whether the busiest of some links carries more than that of others.
func Busier(a, b []runstore.HotLink) bool {
	return len(a) > 0 && (len(b) == 0 || a[0].Bytes > b[0].Bytes)
}
