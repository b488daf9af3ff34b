package route

import (
	"cmp"
	"fmt"
	"slices"
)

// goBeside gives ways to the switches of a switch's own level that going down left
// without one: those of a switch with nothing below, and those to a target that is
// not there. Like OpenSM it charges each to the group by which the switch goes up
// (to the switch above), though the way does not lead there.
func (r *treeRouter) goBeside(u, above int32, hops uint8) (routed bool) {
	beside := r.beside[u]
	slices.SortStableFunc(beside, func(a, b group) int { return cmp.Compare(a.place, b.place) })
	for i := range beside {
		g := &beside[i]
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

// noteUnknownOrders names the leaves below which OpenSM is not to be followed. It
// sorts what is below a switch whenever loads there have changed, hosts too, which
// it compares by the bytes in memory where a switch would have its index: they
// differ from run to run. Where it does so before a leaf's hosts have all had their
// turn, their order changes while it goes through them, and it can pass one by.
func (r *treeRouter) noteUnknownOrders() {
	for _, i := range r.order {
		if r.opt.AsOpenSM && r.unknown[i] {
			r.notes = append(r.notes, fmt.Sprintf(
				"leaf %v has a cable to a switch that is not above it: OpenSM takes its hosts in an order that depends on its memory and differs from run to run, and can leave some without a way. The tables here take them in the order of ports",
				r.sw[i].guid))
		}
	}
}
