package inspect

import (
	"fmt"

	"weft/internal/ib/subnet"
)

// extendedTree recognises a tree with further switches cabled to its leaves, as clusters
// that have grown have: switches with hosts but without a cable to a higher switch. The
// tree must have more than half of the hosts.
func (in *inspection) extendedTree(p *island) bool {
	var kept, hung []int32
	for sw, node := range p.g.node {
		if p.level[sw] == 0 && !in.hasUpper(p, int32(sw)) {
			hung = append(hung, int32(sw))
		} else {
			kept = append(kept, node)
		}
	}
	if len(hung) == 0 || len(kept) < 3 {
		return false
	}
	inner := &island{g: newGraph(in.s, in.names, kept, make([]int32, len(in.s.Nodes)))}
	if 2*inner.g.adapters() <= p.g.adapters() {
		return false
	}
	inner.level = levelsOf(inner.g, fewHosts(inner.g))
	if !in.tree(inner) {
		return false
	}
	p.about.Family, p.about.Levels = inner.about.Family, inner.about.Levels
	p.about.What = fmt.Sprintf("%s with %s attached", inner.about.What, plural(len(hung), "further switch"))
	for _, sw := range hung {
		in.addedSwitch(p, sw)
	}
	return true
}

func (in *inspection) hasUpper(p *island, sw int32) bool {
	for _, n := range p.g.near[sw] {
		if p.level[n.to] > p.level[sw] {
			return true
		}
	}
	return false
}

// addedSwitch reports a switch that is cabled to leaves, and the cables that its hosts
// share.
func (in *inspection) addedSwitch(p *island, sw int32) {
	var to []string
	cables := 0
	var at []subnet.End
	for _, n := range p.g.near[sw] {
		to = append(to, fmt.Sprintf("%d to %s", len(n.ports), p.g.name(n.to)))
		cables += len(n.ports)
		at = append(at, ends(p.g, sw, n.to)...)
	}
	in.find(Warning, "hung-switch", at, "%s with %s is no leaf of the tree: it is connected to other leaves by %s (%s)",
		p.g.name(sw), plural(len(p.g.hosts[sw]), "adapter"), plural(cables, "cable"), list(to, 4))
}
