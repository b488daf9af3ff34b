package pattern

import (
	"slices"

	"weft/internal/sim/run/measure"
	"weft/internal/sim/runstore"
	"weft/units"
)

// The bounds of what is said about who shares a link: the messages of a pattern
// whose ways are looked at, and the flows that a link names.
const (
	mostTraced = 1 << 16
	mostNamed  = 32
)

// hottest are the busiest links with the messages that share each.
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

// way is the links that a message's parts go over; none where they are chosen
// packet by packet.
func (r *patternRun) way(f *patternFlow) (path []int32) {
	for _, pair := range f.ends {
		at := pair.end
		if r.verbs.Reads() {
			at = pair.peer // the data leave by the end that is asked
		}
		path = append(path, r.net.Path(f.from, at)...)
	}
	return path
}
