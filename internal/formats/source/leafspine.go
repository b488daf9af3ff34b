package source

import (
	"errors"
	"fmt"
	"strings"

	"weft/units"
)

// Link is a cable of a topology file, between nodes by the file's numbers.
type Link struct {
	A, B    int
	Rate    units.Rate
	Latency units.Time
}

// LeafSpine is a regular fabric: hosts on leaves, and the same number of links from every leaf to
// every spine. If each host has a port on two such fabrics, they are planes without a common
// switch.
type LeafSpine struct {
	Nodes, PerNode int  // hosts are the NICs of nodes, node by node
	NIC, Up        Link // patterns: all links of a kind are alike; Up is zero on a single switch
	// Railed says that the i-th NICs of a unit's nodes share a leaf, rather than NICs of
	// neighbouring nodes.
	Railed bool
	ids    []int       // the file's number of each host
	index  map[int]int // the host of each number
	planes []leafSpinePlane
}

// leafSpinePlane is one fabric of leaves and spines.
type leafSpinePlane struct {
	leafOf  []int          // by host
	hosts   map[int]int    // by leaf
	uplinks map[[2]int]int // by leaf and spine
	spines  map[int]bool
}

// maxPlanes bounds the ports of a host that count as planes: no published design has more.
const maxPlanes = 2

// FindLeafSpine finds the regular form of a topology. hosts are its hosts, perNode on a node; all
// other numbers are switches. The error names the first irregularity.
func FindLeafSpine(hosts []int, perNode int, links []Link) (*LeafSpine, error) {
	f := &LeafSpine{Nodes: len(hosts) / perNode, PerNode: perNode, ids: hosts, index: make(map[int]int, len(hosts))}
	for i, id := range hosts {
		f.index[id] = i
	}
	if len(hosts) == 0 {
		return nil, errors.New("there is no host")
	}
	planeOf, err := f.leaves(links)
	if err != nil {
		return nil, err
	}
	if err := f.uplinks(links, planeOf); err != nil {
		return nil, err
	}
	if err := f.shared(); err != nil {
		return nil, err
	}
	for i := range f.planes {
		if err := f.regular(&f.planes[i]); err != nil {
			return nil, err
		}
	}
	if len(f.planes[0].spines) > 0 && f.Up.Rate != f.NIC.Rate {
		return nil, fmt.Errorf("links between switches have %s and NICs %s", f.Up.Rate, f.NIC.Rate)
	}
	return f, nil
}

// end is the host and the switch that a link joins; false if it joins switches.
func (f *LeafSpine) end(l Link) (host, leaf int, ok bool, err error) {
	a, hostA := f.index[l.A]
	b, hostB := f.index[l.B]
	switch {
	case hostA && hostB:
		return 0, 0, false, fmt.Errorf("nodes %d and %d are joined without a switch", l.A, l.B)
	case hostA:
		return a, l.B, true, nil
	case hostB:
		return b, l.A, true, nil
	}
	return 0, 0, false, nil
}

// alike takes the first link of a kind as its pattern, and compares the others with it.
func alike(kind *Link, l Link) error {
	if kind.Rate == 0 {
		*kind = l
	} else if kind.Rate != l.Rate || kind.Latency != l.Latency {
		return fmt.Errorf("the link of %d and %d has another rate or latency than other links of its kind", l.A, l.B)
	}
	return nil
}

// leaves assigns every host to its leaf, and the n-th link of a host to plane n. planeOf is the
// plane of each leaf.
func (f *LeafSpine) leaves(links []Link) (planeOf map[int]int, err error) {
	planeOf = map[int]int{}
	ports := make([]int, len(f.ids))
	for _, l := range links {
		host, leaf, ok, err := f.end(l)
		if err != nil {
			return nil, err
		}
		if !ok {
			continue
		}
		plane := ports[host]
		if ports[host]++; plane == maxPlanes {
			return nil, fmt.Errorf("node %d has more than %d links to switches", f.ids[host], maxPlanes)
		}
		if plane == len(f.planes) {
			f.planes = append(f.planes, leafSpinePlane{leafOf: make([]int, len(f.ids)), hosts: map[int]int{}, uplinks: map[[2]int]int{}, spines: map[int]bool{}})
		}
		if was, ok := planeOf[leaf]; ok && was != plane {
			return nil, fmt.Errorf("node %d has a second link to a switch, %d, that is the first of others", f.ids[host], leaf)
		}
		planeOf[leaf] = plane
		p := &f.planes[plane]
		p.leafOf[host] = leaf
		p.hosts[leaf]++
		if err := alike(&f.NIC, l); err != nil {
			return nil, err
		}
	}
	for host, n := range ports {
		if n != len(f.planes) || n == 0 {
			return nil, fmt.Errorf("node %d has %d links to switches, others have %d", f.ids[host], n, max(1, len(f.planes)))
		}
	}
	return planeOf, nil
}

// uplinks counts the links between leaves and spines.
func (f *LeafSpine) uplinks(links []Link, planeOf map[int]int) error {
	for _, l := range links {
		if _, _, ok, _ := f.end(l); ok { // leaves has checked it
			continue
		}
		leaf, spine := l.A, l.B
		plane, ok := planeOf[leaf]
		if !ok {
			leaf, spine = spine, leaf
			plane, ok = planeOf[leaf]
		}
		if _, both := planeOf[spine]; !ok || both {
			return fmt.Errorf("switches %d and %d are joined, and not one of them has hosts: there are three levels, or leaves joined to leaves", l.A, l.B)
		}
		p := &f.planes[plane]
		p.spines[spine] = true
		p.uplinks[[2]int{leaf, spine}]++
		if err := alike(&f.Up, l); err != nil {
			return err
		}
	}
	return nil
}

// shared refuses planes with a common spine.
func (f *LeafSpine) shared() error {
	if len(f.planes) < maxPlanes {
		return nil
	}
	for spine := range f.planes[0].spines {
		if f.planes[1].spines[spine] {
			return fmt.Errorf("each host is on two leaves whose spines are the same (two ToRs in one plane)")
		}
	}
	return nil
}

// regular checks that the leaves and spines of a plane are alike.
func (f *LeafSpine) regular(p *leafSpinePlane) error {
	down := p.hosts[p.leafOf[0]]
	for _, leaf := range p.leafOf {
		if p.hosts[leaf] != down {
			return fmt.Errorf("leaf %d has %d hosts and leaf %d %d", leaf, p.hosts[leaf], p.leafOf[0], down)
		}
	}
	unit := down * f.PerNode
	railed := sameLeaf(p.leafOf, func(host int) int { return host/unit*unit + host%f.PerNode })
	if !railed && !sameLeaf(p.leafOf, func(host int) int { return host / down * down }) {
		return fmt.Errorf("neither the i-th GPUs of %d neighbouring servers are on a leaf nor %d neighbouring GPUs", down, down)
	}
	f.Railed = railed && f.PerNode > 1 && len(p.hosts) > 1 // with a single leaf the question does not arise
	if len(p.uplinks) != len(p.hosts)*len(p.spines) || len(p.spines) == 0 && len(p.hosts) > 1 {
		return fmt.Errorf("%d leaves and %d spines have %d pairs that are joined", len(p.hosts), len(p.spines), len(p.uplinks))
	}
	first := -1
	for _, n := range p.uplinks { // all values are the same, so the order does not matter
		if first >= 0 && n != first {
			return fmt.Errorf("some leaves have more links to a spine than others")
		}
		first = n
	}
	return nil
}

// sameLeaf reports whether every host is on the leaf of its group's first host.
func sameLeaf(leafOf []int, first func(int) int) bool {
	for host, leaf := range leafOf {
		if leaf != leafOf[first(host)] {
			return false
		}
	}
	return true
}

// Planes is the number of ports of a host, each on its own fabric.
func (f *LeafSpine) Planes() int { return len(f.planes) }

// Scenario adds the topology and two fabrics on it to a cluster's fields.
func (f *LeafSpine) Scenario(c *Cluster) {
	p := &f.planes[0]
	down, up, spines := p.hosts[p.leafOf[0]], 0, len(p.spines)
	if spines > 0 {
		for _, n := range p.uplinks { // all are the same
			up = spines * n
			break
		}
	}
	c.Field("topology:")
	shape := "fat-tree"
	switch {
	case f.Planes() > 1 && f.Railed:
		shape = "dual-plane"
	case f.Planes() > 1:
		shape = "dual-plane\n  plane-shape: fat-tree"
	case f.Railed:
		shape = "rail-optimised"
	case spines == 0:
		shape = "single-switch"
	}
	c.Field("  shape: %s", shape)
	switch {
	case spines == 0 && !f.Railed:
		c.Field("  radix: %d", down)
	case f.Railed:
		c.Field("  nodes-per-unit: %d", down)
	default:
		c.Field("  levels: 2")
		c.Field("  hosts-per-leaf: %d", down)
	}
	cables, radix := "node-leaf: "+cable(f.NIC.Latency), down
	if spines > 0 {
		radix = max(down+up, len(p.hosts)*up/spines)
		c.Field("  radix: %d", radix)
		c.Field("  spines: %d", spines)
		c.Field("  oversubscription: %d:%d", down, up)
		cables += ", leaf-spine: " + cable(f.Up.Latency)
	}
	c.Field("  cables: {%s}", cables)
	fabrics(c, f.NIC.Rate, Switch(radix, f.NIC.Rate))
	assumePresets(c)
}

// Switch is the switch field of a fabric with this many ports of a rate: the switches of a preset
// may have fewer.
func Switch(ports int, rate units.Rate) string {
	return fmt.Sprintf("switch: {ports: %d, max-ports: %[1]d, rate: %s}", ports, rate.Exact())
}

// maxLanes is the maximum number of lanes of a link in a scenario.
const maxLanes = 16

// lanes is the least number of lanes for a rate: a lane has at most 1 Tb/s.
func lanes(rate units.Rate) units.Rate {
	n := max(1, (rate+units.Tbps-1)/units.Tbps)
	for n < maxLanes && rate%n != 0 {
		n++
	}
	return n
}

// fabrics adds one fabric of each protocol at a rate; more changes their presets.
func fabrics(c *Cluster, rate units.Rate, more ...string) {
	c.Field("fabrics:")
	for _, preset := range []string{"infiniband-ndr", "roce-v2-400g"} {
		c.Field("  - preset: %s", preset)
		c.Field("    name: %s", strings.NewReplacer("-ndr", "", "-400g", "").Replace(preset))
		n := lanes(rate)
		c.Field("    link: {lanes: %d, lane-rate: %s, code: 1, fec-latency: 0ns, per-metre: %dns}", n, (rate / n).Exact(), nsPerMetre)
		for _, field := range more {
			c.Field("    %s", field)
		}
	}
}

// assumePresets states the assumptions of files that describe only links.
func assumePresets(c *Cluster) {
	c.Assume("latencies of links become cables at %d ns a metre; switches have the latency of weft's presets", nsPerMetre)
	c.Assume("queues, transport and congestion control are not in the file: they are those of weft's presets for InfiniBand and RoCE v2")
}

// Ports is the field with the number of a NIC's ports, unless it is one.
func (f *LeafSpine) Ports() string {
	if f.Planes() == 1 {
		return ""
	}
	return fmt.Sprintf(", ports: %d", f.Planes())
}
