package pattern

import (
	"slices"

	"weft/internal/sim/run/measure"
	"weft/internal/sim/runstore"
	"weft/units"
)

// The bounds of a link's list of flows: the messages of a pattern whose paths are computed, and the
// flows listed for a link.
const (
	mostTraced = 1 << 16
	mostNamed  = 32
)

// hottest are the busiest links, each with its messages.
func (r *patternRun) hottest(span units.Time) []runstore.HotLink {
	hot, links := measure.Hottest(r.net, span)
	if len(r.flows) > mostTraced {
		return hot
	}
	for i := range r.flows {
		f := &r.flows[i]
		path := r.way(f)
		for j, link := range links {
			if slices.Contains(path, link) && len(hot[j].Flows) < mostNamed {
				hot[j].Flows = append(hot[j].Flows, r.net.Plan.Graph.Nodes[f.from].Name+" to "+r.net.Plan.Graph.Nodes[f.to].Name)
			}
		}
	}
	return hot
}

// way is the links of a message's parts; none if paths are chosen packet by packet.
func (r *patternRun) way(f *patternFlow) (path []int32) {
	for _, pair := range f.ends {
		at := pair.end
		if r.verbs.Reads() {
			at = pair.peer // a READ's data leaves from the other end
		}
		path = append(path, r.net.Path(f.from, at)...)
	}
	return path
}
