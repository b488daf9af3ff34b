package inspect

import "slices"

// mixedTree recognises a tree with many hosts above its leaves, as storage or gateways on spines. It
// takes switches with ever more hosts for spines, until the rest is a tree. Leaves keep three
// quarters of the hosts, and most pairs of neighbouring levels have cables.
func (in *inspection) mixedTree(p *island) bool {
	counts, median := p.g.hostsEach()
	for _, few := range counts {
		if few <= median/4 {
			continue // was tried first
		}
		level := levelsOf(p.g, few)
		above := 0
		for sw := range p.g.hosts {
			if level[sw] != 0 {
				above += len(p.g.hosts[sw])
			}
		}
		if 4*above > p.g.adapters() || slices.Max(level) < 1 || !everyBlockIsFull(p.g, level) {
			continue
		}
		was := p.level
		if p.level = level; in.tree(p) {
			return true
		}
		p.level = was
	}
	return false
}

// everyBlockIsFull reports whether, between any two neighbouring levels, most pairs of a block have
// cables.
func everyBlockIsFull(g *graph, level []int) bool {
	for l := range top(level) {
		for _, b := range blocksOf(g, level, l) {
			if each, ok := b.usual(g, -1); !ok || each == 0 {
				return false
			}
		}
	}
	return true
}
