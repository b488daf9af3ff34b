package inspect

import (
	"fmt"
	"slices"
	"strings"
)

// grid describes a torus or a mesh and names the links it lacks.
func (in *inspection) grid(p *island, d *grid) {
	p.grid = d
	var sizes []string
	rings := 0
	fours := true
	for i, n := range d.size {
		sizes = append(sizes, fmt.Sprint(n))
		if d.ring[i] {
			rings++
		}
		fours = fours && (n == 4 && d.ring[i] || n == 2)
	}
	shape := strings.Join(sizes, "×")
	p.about.Size = d.size
	switch {
	case rings == len(d.size) && len(d.size) == 1:
		p.about.Family, p.about.What = Torus, fmt.Sprintf("a ring of %s switches", shape)
	case rings == len(d.size):
		p.about.Family, p.about.What = Torus, fmt.Sprintf("a %s torus", shape)
	case rings > 0:
		p.about.Family, p.about.What = Torus, fmt.Sprintf("a %s torus, open in %s", shape, plural(len(d.size)-rings, "dimension"))
	case len(d.size) == 1:
		p.about.Family, p.about.What = Mesh, fmt.Sprintf("a line of %s switches", shape)
	default:
		p.about.Family, p.about.What = Mesh, fmt.Sprintf("a %s mesh", shape)
	}
	if fours && rings > 0 && len(d.size) > 1 {
		bits := 0
		for _, n := range d.size {
			bits += n / 2
		}
		p.about.What += fmt.Sprintf(", which is also a hypercube of %d dimensions", bits)
	}
	each := in.cablesEach(p.g)
	for _, pair := range d.missing {
		in.missing(p.g, pair[0], pair[1], max(each, 1), "the grid has a link there")
	}
	in.thinLinks(p.g, each, func(a, b int32) bool { return true }, "neighbours")
	in.hostCounts(p)
}

// dragonfly describes a dragonfly and names the links it lacks.
func (in *inspection) dragonfly(p *island, d *dragonfly) {
	p.dragonfly = d
	p.about.Family, p.about.What = Dragonfly, "a dragonfly"
	if d.plus {
		p.about.Family, p.about.What = DragonflyUp, "a dragonfly+"
		in.levels(p)
	}
	p.about.What += fmt.Sprintf(" of %d groups of %d switches, %s between each two groups", d.groups, d.size, plural(d.global, "cable"))
	for _, pair := range d.local {
		in.missing(p.g, pair[0], pair[1], 1, "within a group all are joined")
	}
	member := map[int32]string{}
	for sw, group := range d.group {
		if _, ok := member[group]; !ok {
			member[group] = p.g.name(int32(sw))
		}
	}
	for _, pair := range d.far {
		in.find(Warning, "missing-cable", nil, "the group of %s and the group of %s have fewer cables between them than the %s that most groups have", member[pair[0]], member[pair[1]], plural(d.global, "cable"))
	}
	if !d.plus {
		in.hostCounts(p)
	}
}

// cablesEach is the number of cables of most links of a graph.
func (in *inspection) cablesEach(g *graph) int {
	var counts []int
	for a := range g.near {
		for _, n := range g.near[a] {
			if n.to > int32(a) {
				counts = append(counts, len(n.ports))
			}
		}
	}
	each, ok := usual(counts)
	if !ok {
		return 0
	}
	return each
}

// thinLinks reports links with fewer cables than most.
func (in *inspection) thinLinks(g *graph, each int, among func(a, b int32) bool, who string) {
	for a := range g.near {
		for _, n := range g.near[a] {
			if n.to > int32(a) && len(n.ports) < each && among(int32(a), n.to) {
				in.missing(g, int32(a), n.to, each-len(n.ports), fmt.Sprintf("most %s have %s", who, plural(each, "cable")))
			}
		}
	}
}

// hostCounts reports switches with fewer hosts than the others, if all switches have
// hosts.
func (in *inspection) hostCounts(p *island) {
	var counts []int
	for sw := range p.g.node {
		counts = append(counts, len(p.g.hosts[sw]))
	}
	each, ok := usual(counts)
	if !ok || each == 0 || slices.Max(counts) == slices.Min(counts) {
		return
	}
	for sw, n := range counts {
		if n != each {
			in.find(Note, "host-count", nil, "%s has %s, most switches have %d", p.g.name(int32(sw)), plural(n, "adapter"), each)
		}
	}
}
