package topology

import (
	"cmp"
	"fmt"
)

// Dragonfly is the canonical dragonfly (Kim, Dally, Scott and Abts, ISCA 2008): groups of a
// switches, each connected to every other switch of its group, with p endpoints and h global cables
// per switch. It is balanced if a = 2p = 2h. It has at most a·h+1 groups; at this size every pair
// of groups has one global cable. With fewer groups, the global ports go round the other groups, so
// that the numbers of cables of two pairs differ by at most one.
//
// Ports of a switch: endpoints, then local, then global.
type Dragonfly struct {
	P int // endpoints of a switch
	A int // switches of a group
	H int // global cables of a switch
	// Groups is the number of groups; 0 is the maximum, A*H+1.
	Groups   int
	NodeNICs int // endpoints of a host; 0 is 1
	Lengths  Lengths
}

func (s Dragonfly) sizes() (Dragonfly, error) {
	err := firstError(
		checkSizes(size{"p (endpoints of a switch)", s.P, 1, maxRadix},
			size{"a (switches of a group)", s.A, 1, maxRadix},
			size{"h (global cables of a switch)", s.H, 0, maxRadix},
			size{"the number of NICs of a node", s.NodeNICs, 0, maxEndpoints}),
		s.Lengths.check())
	if err != nil {
		return s, err
	}
	s.Groups, s.NodeNICs = cmp.Or(s.Groups, s.A*s.H+1), cmp.Or(s.NodeNICs, 1)
	if s.Groups > s.A*s.H+1 {
		return s, fmt.Errorf("%d groups of %d switches with %d global cables each: a group reaches only a*h = %d others; take at most %d groups or more global cables",
			s.Groups, s.A, s.H, s.A*s.H, s.A*s.H+1)
	}
	return s, checkSizes(size{"the number of groups", s.Groups, 1, maxEndpoints},
		size{"the number of endpoints", s.P * s.A * s.Groups, 1, maxEndpoints},
		size{"the radix, p + (a-1) + h,", s.P + s.A - 1 + s.H, 1, maxRadix})
}

// Count implements Spec.
func (s Dragonfly) Count() (Count, error) {
	s, err := s.sizes()
	if err != nil {
		return Count{}, err
	}
	n := s.A * s.Groups
	c := Count{Endpoints: s.P * n, Nodes: ceilDiv(s.P*n, s.NodeNICs), Switches: [3]int{n}}
	c.Cables[NodeLeaf] = s.P * n
	c.Cables[Local] = n * (s.A - 1) / 2
	c.Cables[Global] = len(globalSlots(s.Groups, s.A*s.H)) * s.Groups / 2
	c.PortsUsed = c.Cables[NodeLeaf] + 2*(c.Cables[Local]+c.Cables[Global])
	c.PortsFree = n*(s.P+s.A-1+s.H) - c.PortsUsed
	return c, nil
}

// Build implements Spec.
func (s Dragonfly) Build() (*Graph, error) {
	s, err := s.sizes()
	if err != nil {
		return nil, err
	}
	c, _ := s.Count()
	b := newBuilder(s.Lengths)
	b.grow(c)
	group := s.P * s.A
	b.add(Endpoint, 0, 1, c.Endpoints, func(e int, n *Node) { n.Name, n.Group = nicName(e, s.NodeNICs), int32(e/group) })
	first := b.add(Switch, 1, s.P+s.A-1+s.H, s.A*s.Groups, func(i int, n *Node) {
		n.Name, n.Group = fmt.Sprintf("group%d/switch%d", i/s.A, i%s.A), int32(i/s.A)
	})
	for e := range c.Endpoints {
		b.join(NodeLeaf, End{NodeID(e), 0}, End{first + NodeID(e/s.P), int32(e % s.P)})
	}
	for g := range s.Groups {
		sw := first + NodeID(g*s.A)
		for i := range s.A {
			for j := i + 1; j < s.A; j++ {
				// Local ports of switch i lead to the other switches of the group, in order.
				b.join(Local, End{sw + NodeID(i), int32(s.P + j - 1)}, End{sw + NodeID(j), int32(s.P + i)})
			}
		}
	}
	joinGroups(b, s.Groups, s.A*s.H, func(g, slot int) End {
		return End{first + NodeID(g*s.A+slot/s.H), int32(s.P + s.A - 1 + slot%s.H)}
	})
	b.g.Family, b.g.NodeNICs = FamilyDragonfly, s.NodeNICs
	return &b.g, nil
}

// globalSlots lists, for each global port ("slot") of a group, the group at its other end, as an
// offset from the group's own number. The list is the same for every group. An offset and its
// opposite occur equally often, so that every cable has two ends. Whole rounds over all other
// groups come first; the remaining slots go to the nearest groups on either side. If the number of
// groups and the number of remaining slots are odd, one port stays free.
func globalSlots(groups, slots int) []int {
	others := groups - 1
	if others < 1 {
		return nil
	}
	var offsets []int
	for len(offsets)+others <= slots {
		for o := 1; o < groups; o++ {
			offsets = append(offsets, o)
		}
	}
	rest := slots - len(offsets)
	if rest%2 == 1 && groups%2 == 0 {
		offsets = append(offsets, groups/2)
		rest--
	}
	for o := 1; rest >= 2; o, rest = o+1, rest-2 {
		offsets = append(offsets, o, groups-o)
	}
	return offsets
}

// joinGroups connects the groups by global cables; at gives the port of a slot of a group.
func joinGroups(b *builder, groups, slots int, at func(group, slot int) End) {
	offsets := globalSlots(groups, slots)
	bySlot := make(map[int][]int, groups) // offset to its slots, in order
	for slot, o := range offsets {
		bySlot[o] = append(bySlot[o], slot)
	}
	for g := range groups {
		for slot, o := range offsets {
			far := (g + o) % groups
			if far < g {
				continue // plugged from the other side
			}
			nth := 0
			for bySlot[o][nth] != slot {
				nth++
			}
			b.join(Global, at(g, slot), at(far, bySlot[groups-o][nth]))
		}
	}
}
