package inspect

import "strings"

// busySpines are the spines of two levels of which every switch has hosts, as where storage is on the spines: nearly all
// pairs of two halves have a cable, no pair within a half has one, and the switches of one half are called spines or each
// have fewer hosts than any of the other. It is empty for other fabrics: the switches of a ring of four have no such names,
// and as many hosts.
func (g *graph) busySpines() []int32 {
	sides, pairs := g.halves()
	a, b := sides[0], sides[1]
	if len(a) < 2 || len(b) < 2 || 5*pairs < 4*len(a)*len(b) {
		return nil
	}
	called := [2]bool{g.calledSpines(a), g.calledSpines(b)}
	leastA, mostA := g.hostsOf(a)
	leastB, mostB := g.hostsOf(b)
	switch {
	case called[0] != called[1]:
		if called[0] {
			return a
		}
		return b
	case mostA < leastB:
		return a
	case mostB < leastA:
		return b
	}
	return nil
}

// halves are the switches by the colour that no two neighbours share, and the number of pairs with a cable; both halves
// are empty if there is no such colouring.
func (g *graph) halves() (sides [2][]int32, pairs int) {
	colour := make([]int8, len(g.near)) // 0: none
	queue := []int32{0}
	colour[0] = 1
	for len(queue) > 0 {
		sw := queue[0]
		queue = queue[1:]
		side := (colour[sw] + 1) / 2
		sides[side] = append(sides[side], sw)
		for _, n := range g.near[sw] {
			switch colour[n.to] {
			case 0:
				colour[n.to] = -colour[sw]
				queue = append(queue, n.to)
			case colour[sw]:
				return [2][]int32{}, 0
			}
			pairs++
		}
	}
	return sides, pairs / 2
}

// calledSpines is whether the names of all switches have the word spine.
func (g *graph) calledSpines(switches []int32) bool {
	for _, sw := range switches {
		if !strings.Contains(strings.ToLower(g.name(sw)), "spine") {
			return false
		}
	}
	return true
}

// hostsOf is the least and the most hosts of switches.
func (g *graph) hostsOf(switches []int32) (least, most int) {
	least = len(g.hosts[switches[0]])
	for _, sw := range switches {
		least, most = min(least, len(g.hosts[sw])), max(most, len(g.hosts[sw]))
	}
	return least, most
}
