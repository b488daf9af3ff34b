package sim

import (
	"context"

	"weft/internal/workload"
	"weft/scenario"
	"weft/units"
)

// phaseRun is a phase of a workload that was carried out by itself, all its groups at
// once.
type phaseRun struct {
	took   []units.Time // by rank of the cluster; -1 of ranks that take no part
	groups int          // that were simulated
	share  float64      // of their bytes that was simulated; of the rest the rate is known
	*Execution
}

// runPhase carries out a phase: of groups that are provably alike one part for all.
// Switches under one of which groups stay are alike but for their draws; if those
// mattered, the whole is carried out.
func (p *plan) runPhase(ctx context.Context, r *scenario.Resolved, phase *workload.Phase) (*phaseRun, error) {
	cluster := layoutOf(&r.Cluster)
	f := insideNodes(cluster, phase)
	if f == nil {
		f = p.underLeaves(cluster, phase)
	}
	if f == nil {
		f = &fold{phase: phase}
	}
	run, err := p.runFold(ctx, r, phase, f)
	if err == nil && f.drawn && (run.Counts.Marks > 0 || run.Counts.Pauses > 0 || run.Counts.Drops() > 0) {
		return p.runFold(ctx, r, phase, &fold{phase: phase})
	}
	return run, err
}

// runFold carries out the part of a phase that stands for all.
func (p *plan) runFold(ctx context.Context, r *scenario.Resolved, phase *workload.Phase, f *fold) (*phaseRun, error) {
	ranks := r.Cluster.Ranks()
	var forward forwarder
	x, err := p.forwarded(ctx, r, f.phase.Graph(ranks), &forward)
	if err != nil {
		return nil, err
	}
	run := &phaseRun{took: make([]units.Time, ranks), groups: len(f.phase.Groups), share: forward.share(), Execution: x}
	for i := range run.took {
		run.took[i] = -1
	}
	times := f.phase.Times(x.Timeline)
	for _, g := range phase.Groups {
		for _, rank := range g {
			run.took[rank] = times[f.stand(rank)]
		}
	}
	return run, nil
}
