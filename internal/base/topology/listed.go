package topology

import (
	"cmp"
	"fmt"

	"weft/units"
)

// Listed is a fabric of any form, given cable by cable. The endpoints have the first numbers, host
// by host; the switches follow. Every endpoint has one cable, to a switch.
//
// A switch with endpoints is a leaf, a switch next to a leaf is a spine, and all others are cores, unless the devices
// say their levels.
type Listed struct {
	Endpoints int
	NodeNICs  int // endpoints of a host; 0 is 1
	Radix     int // ports of each switch; 0: as many as its cables
	Links     []ListedLink
	// Devices are the nodes of a real fabric, by number; empty: they have the usual names, no identity, and ports in the
	// order of the links.
	Devices []ListedDevice
	// Others is the number of the last endpoints, which are of other hosts than the cluster's.
	Others int
}

// ListedDevice is a node of a real fabric.
type ListedDevice struct {
	Name      string
	ID        Identity
	Ports     int      // of a switch
	PortNames []string // of a switch, by number; at most Ports; nil: they are numbers
	Level     int8     // of a switch, 1 at a leaf; 0: no host reaches it
	Group     int32    // pod or group, -1 if it has none
}

// ListedLink is Count equal cables between two numbered nodes; a Count of 0 is 1.
type ListedLink struct {
	A, B  int
	Count int
	// PortA and PortB are the ports at the ends, from 1; 0: the first free one.
	PortA, PortB int
	Length       units.Length
	Rate         units.Rate // 0: the rate of the fabric
}

func (l ListedLink) count() int { return cmp.Or(l.Count, 1) }

// degrees are the numbers of cables of the nodes.
func (s Listed) degrees() ([]int, error) {
	cables, last := 0, s.Endpoints-1
	for i, l := range s.Links {
		if err := checkSizes(size{fmt.Sprintf("the number of cables of link %d", i), l.count(), 1, maxRadix}); err != nil {
			return nil, err
		}
		if min(l.A, l.B) < 0 || max(l.A, l.B) >= 2*maxEndpoints || l.A == l.B || l.A < s.Endpoints && l.B < s.Endpoints {
			return nil, fmt.Errorf("link %d joins %d and %d: a link joins two nodes, of which one at least is a switch, from %d on", i, l.A, l.B, s.Endpoints)
		}
		cables, last = cables+l.count(), max(last, l.A, l.B)
	}
	if cables > maxEndpoints {
		return nil, fmt.Errorf("the links have %d cables: there may be %d", cables, maxEndpoints)
	}
	out := make([]int, last+1)
	for _, l := range s.Links {
		out[l.A] += l.count()
		out[l.B] += l.count()
	}
	for node, n := range out {
		switch {
		case node < s.Endpoints && n != 1:
			return nil, fmt.Errorf("NIC %d has %d cables: each has one", node, n)
		case n == 0:
			return nil, fmt.Errorf("switch %d has no cable: numbers of switches go from %d to %d without a gap", node, s.Endpoints, last)
		case s.Radix > 0 && node >= s.Endpoints && n > s.Radix:
			return nil, fmt.Errorf("switch %d has %d cables and %d ports", node, n, s.Radix)
		}
	}
	return out, nil
}

// levels are the levels of all nodes, by the distance of a switch from a switch with endpoints.
func (s Listed) levels(nodes int) []int8 {
	const highest = 3
	out := make([]int8, nodes)
	for level := range int8(highest) {
		for _, l := range s.Links {
			for _, end := range [2][2]int{{l.A, l.B}, {l.B, l.A}} {
				if from, to := end[0], end[1]; to >= s.Endpoints && out[to] == 0 && out[from] == level && (from < s.Endpoints) == (level == 0) {
					out[to] = level + 1
				}
			}
		}
	}
	for i := s.Endpoints; i < nodes; i++ {
		if out[i] == 0 {
			out[i] = highest
		}
	}
	return out
}

// Count implements Spec.
func (s Listed) Count() (Count, error) {
	g, err := s.Build()
	if err != nil {
		return Count{}, err
	}
	return Tally(g), nil
}

// Build implements Spec.
func (s Listed) Build() (*Graph, error) {
	nics := cmp.Or(s.NodeNICs, 1)
	err := checkSizes(size{"the number of endpoints", s.Endpoints, 1, maxEndpoints}, size{"the number of NICs of a node", nics, 1, maxEndpoints}, size{"the radix", s.Radix, 0, maxRadix})
	if err != nil {
		return nil, err
	}
	degrees, err := s.degrees()
	if err != nil {
		return nil, err
	}
	if len(s.Devices) > 0 && len(s.Devices) != len(degrees) {
		return nil, fmt.Errorf("%d devices, and the links have %d", len(s.Devices), len(degrees))
	}
	b := newBuilder(Lengths{})
	s.addNodes(b, degrees, nics)
	for i, l := range s.Links {
		for range l.count() {
			x, err := s.portOf(b, l.A, l.PortA)
			if err != nil {
				return nil, fmt.Errorf("link %d: %w", i, err)
			}
			y, err := s.portOf(b, l.B, l.PortB)
			if err != nil {
				return nil, fmt.Errorf("link %d: %w", i, err)
			}
			b.join(Local, x, y)
			c := &b.g.Cables[len(b.g.Cables)-1]
			c.Length, c.Rate = l.Length, l.Rate
		}
	}
	b.g.NodeNICs, b.g.Others, b.g.Family = nics, s.Others, FamilyListed
	if len(s.Devices) > 0 {
		b.g.Family = familyOf(&b.g)
	}
	return &b.g, nil
}

// addNodes adds the endpoints and the switches.
func (s Listed) addNodes(b *builder, degrees []int, nics int) {
	if len(s.Devices) == 0 {
		levels := s.levels(len(degrees))
		b.add(Endpoint, 0, 1, s.Endpoints, func(e int, n *Node) { n.Name = nicName(e, nics) })
		for i := s.Endpoints; i < len(degrees); i++ {
			b.add(Switch, levels[i], cmp.Or(s.Radix, degrees[i]), 1, func(_ int, n *Node) {
				n.Name = fmt.Sprintf("switch%d", i)
			})
		}
		return
	}
	b.add(Endpoint, 0, 1, s.Endpoints, func(e int, n *Node) { n.Name, n.ID = s.Devices[e].Name, s.Devices[e].ID })
	for i := s.Endpoints; i < len(degrees); i++ {
		d := &s.Devices[i]
		b.add(Switch, d.Level, max(d.Ports, len(d.PortNames), degrees[i]), 1, func(_ int, n *Node) {
			n.Name, n.ID, n.Group, n.PortNames = d.Name, d.ID, d.Group, d.PortNames
		})
	}
}

// portOf is a port of a node: the one with the number, or the first free one.
func (s Listed) portOf(b *builder, node, port int) (End, error) {
	if port == 0 {
		return b.free(NodeID(node)), nil
	}
	n := &b.g.Nodes[node]
	switch {
	case port > len(n.Cables):
		return End{}, fmt.Errorf("port %d of %s, which has %d", port, n.Name, len(n.Cables))
	case n.Cables[port-1] >= 0:
		return End{}, fmt.Errorf("port %d of %s has two cables", port, n.Name)
	}
	return End{NodeID(node), int32(port - 1)}, nil
}

// familyOf is the family of a real fabric by the levels and groups of its switches. It does not recognise a torus:
// shortest paths route a torus, and every fabric without a family.
func familyOf(g *Graph) Family {
	switch {
	case isTree(g):
		return FamilyTree
	case isDragonfly(g):
		return FamilyDragonfly
	case isDragonflyPlus(g):
		return FamilyDragonflyPlus
	}
	return FamilyListed
}

// isDragonfly reports whether the switches are in groups, and each is cabled to all others of its group.
func isDragonfly(g *Graph) bool {
	members, joined := map[int32]int{}, map[[2]NodeID]bool{}
	for i := range g.Nodes {
		if n := &g.Nodes[i]; n.Kind == Switch {
			if n.Level != 1 || n.Group < 0 {
				return false
			}
			members[n.Group]++
		}
	}
	near := map[int32]int{} // by group: pairs with a cable
	for _, c := range g.Cables {
		a, b := c.A.Node, c.B.Node
		pair := [2]NodeID{min(a, b), max(a, b)}
		if x := &g.Nodes[a]; x.Kind == Switch && g.Nodes[b].Kind == Switch && x.Group == g.Nodes[b].Group && !joined[pair] {
			joined[pair] = true
			near[x.Group]++
		}
	}
	for group, n := range members {
		if near[group] != n*(n-1)/2 {
			return false
		}
	}
	return len(members) > 1
}

// isDragonflyPlus reports whether the switches are leaves and spines in groups, cabled leaf to spine within a group and
// spine to spine between groups.
func isDragonflyPlus(g *Graph) bool {
	for i := range g.Nodes {
		if n := &g.Nodes[i]; n.Kind == Switch && (n.Group < 0 || n.Level < 1 || n.Level > 2) {
			return false
		}
	}
	between := 0
	for _, c := range g.Cables {
		a, b := &g.Nodes[c.A.Node], &g.Nodes[c.B.Node]
		switch {
		case a.Kind != Switch || b.Kind != Switch:
		case a.Group == b.Group && a.Level != b.Level:
		case a.Group != b.Group && a.Level == 2 && b.Level == 2:
			between++
		default:
			return false
		}
	}
	return between > 0
}

// isTree reports whether every cable between switches leads from one level to the next.
func isTree(g *Graph) bool {
	for i := range g.Nodes {
		if n := &g.Nodes[i]; n.Kind == Switch && (n.Level < 1 || n.Level > highestTree) {
			return false
		}
	}
	for _, c := range g.Cables {
		a, b := &g.Nodes[c.A.Node], &g.Nodes[c.B.Node]
		if d := a.Level - b.Level; a.Kind == Switch && b.Kind == Switch && d != 1 && d != -1 {
			return false
		}
	}
	return true
}

// highestTree is the number of levels of the highest tree that static routing knows.
const highestTree = 4
