package topology

import (
	"cmp"
	"fmt"
)

// DragonflyPlus is the dragonfly+ (Shpiner et al., HiPINEB 2017): groups of leaves and spines,
// every leaf connected to every spine of its group, and the spines of different groups connected by
// global cables. With the usual Leaves = Spines = EndpointsPerLeaf = GlobalPerSpine = radix/2 all
// ports are used.
//
// Ports of a leaf: endpoints, then spines; of a spine: leaves, then global.
type DragonflyPlus struct {
	Groups        int
	Leaves        int // leaves of a group
	Spines        int // spines of a group
	LeafEndpoints int // endpoints of a leaf
	SpineGlobals  int // global cables of a spine
	Bundle        int // cables between a leaf and a spine; 0 is 1
	NodeNICs      int // endpoints of a host; 0 is 1
	Lengths       Lengths
}

func (s DragonflyPlus) sizes() (DragonflyPlus, error) {
	s.Bundle, s.NodeNICs = cmp.Or(s.Bundle, 1), cmp.Or(s.NodeNICs, 1)
	err := firstError(
		checkSizes(size{"the number of groups", s.Groups, 1, maxEndpoints},
			size{"the number of leaves of a group", s.Leaves, 1, maxRadix},
			size{"the number of spines of a group", s.Spines, 1, maxRadix},
			size{"the number of endpoints of a leaf", s.LeafEndpoints, 1, maxRadix},
			size{"the number of global cables of a spine", s.SpineGlobals, 0, maxRadix},
			size{"the number of cables between a leaf and a spine", s.Bundle, 1, maxRadix},
			size{"the number of NICs of a node", s.NodeNICs, 1, maxEndpoints}),
		s.Lengths.check())
	if err != nil {
		return s, err
	}
	if most := s.Spines*s.SpineGlobals + 1; s.Groups > most {
		return s, fmt.Errorf("%d groups of %d spines with %d global cables each: a group reaches only %d others; take at most %d groups or more global cables",
			s.Groups, s.Spines, s.SpineGlobals, most-1, most)
	}
	return s, checkSizes(
		size{"the number of endpoints", s.Groups * s.Leaves * s.LeafEndpoints, 1, maxEndpoints},
		size{"the radix of a leaf", s.LeafEndpoints + s.Spines*s.Bundle, 1, maxRadix},
		size{"the radix of a spine", s.Leaves*s.Bundle + s.SpineGlobals, 1, maxRadix})
}

// Count implements Spec.
func (s DragonflyPlus) Count() (Count, error) {
	s, err := s.sizes()
	if err != nil {
		return Count{}, err
	}
	leaves, spines := s.Groups*s.Leaves, s.Groups*s.Spines
	c := Count{Endpoints: leaves * s.LeafEndpoints, Switches: [3]int{leaves, spines}}
	c.Nodes = ceilDiv(c.Endpoints, s.NodeNICs)
	c.Cables[NodeLeaf] = c.Endpoints
	c.Cables[LeafSpine] = leaves * s.Spines * s.Bundle
	c.Cables[Global] = len(globalSlots(s.Groups, s.Spines*s.SpineGlobals)) * s.Groups / 2
	c.PortsUsed = c.Endpoints + 2*(c.Cables[LeafSpine]+c.Cables[Global])
	c.PortsFree = leaves*(s.LeafEndpoints+s.Spines*s.Bundle) + spines*(s.Leaves*s.Bundle+s.SpineGlobals) - c.PortsUsed
	return c, nil
}

// Build implements Spec.
func (s DragonflyPlus) Build() (*Graph, error) {
	s, err := s.sizes()
	if err != nil {
		return nil, err
	}
	c, _ := s.Count()
	b := newBuilder(s.Lengths)
	b.grow(c)
	group := s.Leaves * s.LeafEndpoints
	b.add(Endpoint, 0, 1, c.Endpoints, func(e int, n *Node) { n.Name, n.Group = nicName(e, s.NodeNICs), int32(e/group) })
	leaves := b.add(Switch, 1, s.LeafEndpoints+s.Spines*s.Bundle, c.Switches[0], func(i int, n *Node) {
		n.Name, n.Group = fmt.Sprintf("group%d/leaf%d", i/s.Leaves, i%s.Leaves), int32(i/s.Leaves)
	})
	spines := b.add(Switch, 2, s.Leaves*s.Bundle+s.SpineGlobals, c.Switches[1], func(i int, n *Node) {
		n.Name, n.Group = fmt.Sprintf("group%d/spine%d", i/s.Spines, i%s.Spines), int32(i/s.Spines)
	})
	for e := range c.Endpoints {
		b.join(NodeLeaf, End{NodeID(e), 0}, End{leaves + NodeID(e/s.LeafEndpoints), int32(e % s.LeafEndpoints)})
	}
	for l := range c.Switches[0] {
		for t := range s.Spines * s.Bundle {
			sp := l/s.Leaves*s.Spines + t%s.Spines
			b.join(LeafSpine, End{leaves + NodeID(l), int32(s.LeafEndpoints + t)}, b.free(spines+NodeID(sp)))
		}
	}
	// Consecutive slots are on consecutive spines, so that the cables to a group are spread over
	// spines.
	joinGroups(b, s.Groups, s.Spines*s.SpineGlobals, func(g, slot int) End {
		return End{spines + NodeID(g*s.Spines+slot%s.Spines), int32(s.Leaves*s.Bundle + slot/s.Spines)}
	})
	b.g.Family, b.g.NodeNICs = FamilyDragonflyPlus, s.NodeNICs
	return &b.g, nil
}
