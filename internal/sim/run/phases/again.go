package phases

import (
	"weft/internal/sim/run/executor"
	"weft/internal/sim/run/network"
	"weft/internal/sim/scenario"
	"weft/internal/sim/workload"
)

// With another seed other messages collide, and other packets are marked. What is on
// its ways alone whatever the switches choose, and was not marked, takes what it took.

// Again is how the phases that a folding divides are to be simulated with another seed:
// only where switches' choices make a difference may it be another way.
func (f *Folding) Again(p *network.Plan, r *scenario.Resolved, phases []workload.Phase) *Folding {
	out := &Folding{shores: make([]*shore, len(phases))}
	planner := executor.NewPlanner(r, p.Fabric)
	for i := range phases {
		if out.shores[i] = f.shores[i]; !f.shores[i].same() {
			out.shores[i] = hashedShore(p, r, planner, &phases[i])
		}
	}
	out.divide(phases)
	// The islands of a phase come in the same order with every seed.
	twins := make([][]int32, len(phases))
	for number, own := range f.Islands {
		twins[own.home] = append(twins[own.home], int32(number))
	}
	for _, own := range out.Islands {
		if out.shores[own.home].same() {
			own.twin, twins[own.home] = twins[own.home][0], twins[own.home][1:]
		}
	}
	return out
}

// Known is the run of an island among those of the first seed's folding, where the seed
// makes no difference to it; nil where it may.
func (o *Island) Known(runs []*IslandRun) *IslandRun {
	if o.twin < 0 || runs[o.twin] == nil || runs[o.twin].trouble() {
		return nil
	}
	return runs[o.twin]
}
