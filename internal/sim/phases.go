package sim

import (
	"context"
	"fmt"

	"weft/internal/collective"
	"weft/internal/runstore"
	"weft/internal/workload"
	"weft/scenario"
	"weft/units"
)

// phaseRun is a phase of a workload that was carried out by itself, all its groups at
// once.
type phaseRun struct {
	took    []units.Time // by rank of the cluster; -1 of ranks that take no part
	groups  int          // that were simulated for it
	parts   int          // in which its messages were simulated by the ways that they take
	moved   int64        // bytes that were simulated, of its own groups and of those that stand for them
	skipped int64        // bytes whose time is known from the steady rate
	counts  runstore.Counts
	flows   runstore.Distribution
	hottest []runstore.HotLink
	plan    *PlannedCollective // nil where nothing was planned
	beside  []runstore.Stream  // what streams got done meanwhile
}

// share is the part of the bytes that was simulated.
func (r *phaseRun) share() float64 {
	if r.skipped == 0 {
		return 1
	}
	return float64(r.moved) / float64(r.moved+r.skipped)
}

// islandRun is an island that was carried out.
type islandRun struct {
	*Execution
	times          []units.Time // by rank of the cluster
	moved, skipped int64        // bytes, as the fast-forward has them
}

// runPhases carries phases out, one after another.
func (p *plan) runPhases(ctx context.Context, r *scenario.Resolved, phases []workload.Phase) ([]*phaseRun, error) {
	f := p.fold(r, phases)
	runs := make([]*islandRun, len(f.islands))
	for i, own := range f.islands {
		var err error
		if runs[i], err = p.runIsland(ctx, r, &own.phase); err != nil {
			return nil, err
		}
	}
	return p.phasesOf(ctx, r, phases, f, runs)
}

// runIsland carries an island out. What stays inside nodes feels nothing of what
// disturbs the fabric.
func (p *plan) runIsland(ctx context.Context, r *scenario.Resolved, phase *workload.Phase) (*islandRun, error) {
	if calm := p.calm(); calm != nil && inNodes(layoutOf(&r.Cluster), phase) {
		p = calm
	}
	var forward *forwarder
	if p.steady() {
		forward = new(forwarder)
	}
	x, err := p.forwarded(ctx, r, phase.Graph(r.Cluster.Ranks()), forward)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", phase.Name, err)
	}
	out := &islandRun{Execution: x, times: phase.Times(x.Timeline)}
	out.moved, out.skipped = forward.bytes()
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
func (r *islandRun) trouble() bool {
	return r.Counts.Marks > 0 || r.Counts.Pauses > 0 || r.Counts.Drops() > 0
}

// spread reports whether what waited on the links of an island's messages may have held
// up more than those: what a pause stops, or a buffer that others share.
func (r *islandRun) spread() bool { return r.Counts.Pauses > 0 || r.Counts.Drops() > 0 }

// phasesOf puts phases together from the islands that were run. Where the islands of a
// phase may feel each other after all, the whole of it is carried out.
func (p *plan) phasesOf(ctx context.Context, r *scenario.Resolved, phases []workload.Phase, f *folding, runs []*islandRun) ([]*phaseRun, error) {
	out := make([]*phaseRun, len(phases))
	for i := range phases {
		places, islands, own := f.places[i], f.islands, runs
		if troubled(i, places, islands, runs) {
			whole, err := p.runIsland(ctx, r, &phases[i])
			if err != nil {
				return nil, err
			}
			places, islands, own = nil, []*island{{phase: phases[i], home: i}}, []*islandRun{whole}
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
func troubled(number int, places []placed, islands []*island, runs []*islandRun) bool {
	for _, at := range places {
		own := islands[at.island]
		whole := own.home == number && len(own.phase.Groups) == len(places)
		if !whole && (own.stands && runs[at.island].trouble() || own.apart && runs[at.island].spread()) {
			return true
		}
	}
	return false
}

// gather takes the times of a phase's groups from the islands that stand for them.
func gather(phase *workload.Phase, number, ranks int, places []placed, islands []*island, runs []*islandRun) *phaseRun {
	out := &phaseRun{took: make([]units.Time, ranks)}
	for i := range out.took {
		out.took[i] = -1
	}
	used := make(map[int32]bool)
	for g, at := range places {
		members := islands[at.island].phase.Groups[at.group]
		for k, rank := range phase.Groups[g] {
			if phase.Kind == workload.Send && k > 0 {
				continue // its time is that of what it sends itself
			}
			out.took[rank] = max(out.took[rank], runs[at.island].times[members[k]])
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
func (r *phaseRun) add(own *island, number int, run *islandRun) {
	r.moved, r.skipped = r.moved+run.moved, r.skipped+run.skipped
	if r.plan == nil && len(run.Plans) > 0 {
		r.plan = &run.Plans[0]
	}
	if own.home != number { // simulated for an earlier phase
		return
	}
	r.groups += len(own.phase.Groups)
	if own.apart {
		r.parts++
	}
	r.counts.Add(&run.Counts)
	r.beside = append(r.beside, run.Beside...)
	if busier(run.Hottest, r.hottest) {
		r.hottest, r.flows = run.Hottest, run.Flows
	}
}
