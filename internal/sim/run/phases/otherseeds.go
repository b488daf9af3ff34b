package phases

import (
	"weft/internal/sim/run/executor"
	"weft/internal/sim/run/network"
	"weft/internal/sim/workload"
	"weft/scenario"
)

// With another seed other messages collide, other packets are marked, and tokens choose other experts. A message takes
// the same time as with the first seed if it is alone on its paths for any choice of the switches, and was
// not marked.

// Again is the folding of the divided phases for another seed: it simulates only islands for which
// the choices of switches make a difference.
func (f *Folding) Again(p *network.Plan, r *scenario.Resolved, phases []workload.Phase) *Folding {
	out := &Folding{shores: make([]*shore, len(phases))}
	planner := executor.NewPlanner(r, p.Fabric)
	for i := range phases {
		if out.shores[i] = f.shores[i]; !f.shores[i].same() {
			out.shores[i] = hashedShore(p, r, planner, &phases[i])
		}
	}
	out.divide(phases)
	// The islands of a phase have the same order with every seed.
	twins := make([][]int32, len(phases))
	for number, own := range f.Islands {
		twins[own.home] = append(twins[own.home], int32(number))
	}
	for _, own := range out.Islands {
		if out.shores[own.home].same() && own.Phase.Exchange == workload.NoExchange {
			own.twin, twins[own.home] = twins[own.home][0], twins[own.home][1:]
		}
	}
	return out
}

// Known is the run of the corresponding island with the first seed, if the seed makes no difference
// to the island; nil if it may.
func (i *Island) Known(runs []*IslandRun) *IslandRun {
	if i.twin < 0 || runs[i.twin] == nil || runs[i.twin].trouble() {
		return nil
	}
	return runs[i.twin]
}
