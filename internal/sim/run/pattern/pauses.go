package pattern

import (
	"slices"

	"weft/internal/sim/fabric"
	"weft/internal/sim/runstore"
)

// pausedFlows are the messages whose path has paused links; a victim's path has no root of these
// pauses.
func (r *patternRun) pausedFlows(all []fabric.Pausing, out *runstore.Pauses) {
	if len(r.flows) > mostTraced {
		return
	}
	class := r.net.Plan.Class.Data(r.net.Plan.Fabric)
	for i := range r.flows {
		f := &r.flows[i]
		way := r.way(f)
		flow := runstore.PausedFlow{
			Name:  r.net.Plan.Graph.Nodes[f.from].Name + " to " + r.net.Plan.Graph.Nodes[f.to].Name,
			Bytes: int64(f.bytes), TimePs: int64(f.done - f.start), Victim: true,
		}
		for j := range all {
			if all[j].Class != class || !slices.Contains(way, all[j].Link) {
				continue
			}
			flow.Links = append(flow.Links, j)
			if slices.Contains(way, rootPort(all, out, j)) {
				flow.Victim = false
			}
		}
		if len(flow.Links) > 0 && f.done > 0 && len(out.Flows) < mostNamed {
			out.Flows = append(out.Flows, flow)
		}
	}
}

// rootPort is the port where the chain of pauses behind a pause began.
func rootPort(all []fabric.Pausing, out *runstore.Pauses, i int) int32 {
	for !out.Links[i].Root() {
		i = out.Links[i].After
	}
	if len(all[i].Causes) > 0 && !out.Links[i].Circle {
		return all[i].Causes[0].Port
	}
	return all[i].Link // to the NIC that caused it, or in the circle
}
