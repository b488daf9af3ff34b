package pattern

import (
	"slices"

	"weft/internal/sim/run/measure"
	"weft/results"
	"weft/units"
)

// The bounds of a link's list of flows: the messages of a pattern whose paths are computed, and the
// flows listed for a link.
const (
	mostTraced = 1 << 16
	mostNamed  = 32
)

// hottest are the busiest links, each with its messages.
func (r *patternRun) hottest(span units.Time) []results.HotLink {
	hot, links := measure.Hottest(r.net, span)
	if len(r.flows) > mostTraced {
		return hot
	}
	for i := range r.flows {
		f := &r.flows[i]
		path := r.way(f)
		for j, link := range links {
			switch {
			case len(path) == 0 && hot[j].Choice():
				hot[j].Sprayed = true
			case len(hot[j].Flows) == mostNamed:
			case slices.Contains(path, link), len(path) == 0 && r.atNIC(f, link):
				hot[j].Flows = append(hot[j].Flows, r.net.Plan.Graph.Nodes[f.from].Name+" to "+r.net.Plan.Graph.Nodes[f.to].Name)
			}
		}
	}
	return hot
}

// atNIC reports whether a link is the only one from the NIC with a message's data, or to the NIC that gets it: whatever
// path a packet takes, it crosses that link.
func (r *patternRun) atNIC(f *patternFlow, link int32) bool {
	one := func(nic int32) bool { return r.net.Plan.Graph.Nodes[nic].Cabled() == 1 }
	from, to := r.net.LinkEnds(link)
	return from == f.from && one(from) || to == f.to && one(to)
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
