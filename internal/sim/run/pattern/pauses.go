package pattern

import (
	"weft/internal/sim/fabric/pauses"
	"weft/internal/sim/run/measure"
	"weft/results"
)

// pausedFlows adds the messages whose path has paused links.
func (r *patternRun) pausedFlows(all []pauses.Pausing, out *results.Pauses) {
	if len(r.flows) > mostTraced {
		return
	}
	for i := range r.flows {
		f := &r.flows[i]
		if f.done > 0 {
			measure.AddPaused(r.net, all, out, r.way(f), results.PausedFlow{
				Name:  r.net.Plan.Graph.Nodes[f.from].Name + " to " + r.net.Plan.Graph.Nodes[f.to].Name,
				Bytes: int64(f.bytes), TimePs: int64(f.done - f.start),
			})
		}
	}
}
