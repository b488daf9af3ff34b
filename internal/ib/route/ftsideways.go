package route

import (
	"cmp"
	"fmt"
	"slices"
)

// goSideways gives paths to the switches of a switch's own level that goDown left out, because the
// switch has nothing below or the target is absent. Like OpenSM it adds the path to the load of the
// group up to the switch above, though the path does not go there.
func (r *treeRouter) goSideways(u, above int32, hops uint8) (routed bool) {
	side := r.side[u]
	slices.SortStableFunc(side, func(a, b group) int { return cmp.Compare(a.place, b.place) })
	for i := range side {
		g := &side[i]
		if hops+1 >= r.hops[g.sw] && g.sw != r.unset {
			continue
		}
		at := g.first
		for c := at + 1; c < g.first+int32(g.n); c++ {
			if r.crossed[c] < r.crossed[at] {
				at = c
			}
		}
		r.setBy(g, r.cables[at].far, hops+1)
		if !r.goUp(g.sw, u, false, hops+1) {
			continue
		}
		routed = true
		r.crossed[at]++
		up := r.up[u]
		up[slices.IndexFunc(up, func(g group) bool { return g.sw == above })].load++
		sortByLoad(up)
	}
	return routed
}

// noteUnknownOrders names the leaves whose order of hosts in OpenSM is not known. OpenSM
// sorts the groups below a switch whenever their loads have changed. It sorts hosts too, by the
// memory in which a switch has its index; for hosts these bytes differ from run to run. If that
// happens before all hosts of a leaf are routed, their order changes during the loop, and OpenSM
// can leave a host out.
func (r *treeRouter) noteUnknownOrders() {
	for _, i := range r.order {
		if r.opt.AsOpenSM && r.unknown[i] {
			r.notes = append(r.notes, fmt.Sprintf(
				"leaf %v has a cable to a switch that is not above it: OpenSM takes its hosts in an order that depends on its memory and differs from run to run, and can leave some without a path. The tables here take them in the order of ports",
				r.sw[i].guid))
		}
	}
}
