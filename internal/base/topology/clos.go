package topology

import "fmt"

// clos is the plan of a tree of two or three levels of switches: the common form of the leaf-spine,
// the three-level fat tree and the rail-optimised fabric, from which they are counted and built.
//
// Leaves come in groups (pods, or the leaves of one rail); a group has its own spines, and every
// leaf reaches every spine of its group. Spine j of every group belongs to plane j of the core
// level, which has its own cores; every spine of the plane reaches every core of it. A tree of two
// levels is one group without cores.
type clos struct {
	endpoints, services int
	nodeNICs            int

	radix                   int // of every switch
	leaves, leafUp          int
	groups, spines, spineUp int // spines per group, uplinks per spine
	cores                   int // of one plane
	leafOf                  func(e int) int
	groupOf                 func(leaf int) (group, index int)
	endpoint                func(e int, n *Node) // sets the name and the labels
	leaf                    func(l int, n *Node)
	spine                   func(group, j int, n *Node)
	core                    func(i int, n *Node)
	lengths                 Lengths
}

// upperCount is the number of switches of the given radix (or with the given number of ports down)
// above `below` switches of `up` uplinks each, so that every switch below reaches every switch
// above.
//
// Each switch below should have the same number of cables to each switch above, because static
// routing cannot use the capacity of a wider bundle to one of them: so the number divides `up`.
// Three scalable units of the DGX SuperPOD are the example: 24 leaves of 32 uplinks fill 12 spines
// of 64 ports. The SuperPOD has 16, with two cables from each leaf to each spine: a third more than
// the ports require. If equal bundles cost more than this third, and equal is false, upperCount
// takes the fewest switches, and bundles differ by one cable.
func upperCount(below, up, radix int, equal bool) int {
	fewest := ceilDiv(below*up, radix)
	n := fewest
	for up%n != 0 {
		n++
	}
	if equal || 3*n <= 4*fewest {
		return n
	}
	return fewest
}

// uplink is the switch, of n switches above, for uplink t of the `up` uplinks of the switch with
// this index. Uplinks go round the switches above. If n does not divide up, the remainder starts at
// another switch for each index, so that the switches above fill evenly.
func uplink(index, t, up, n int) int {
	whole := up - up%n
	if t < whole {
		return t % n
	}
	return (index*(up%n) + t - whole) % n
}

func (c *clos) count(planes int) Count {
	spines, cores := c.groups*c.spines, c.spines*c.cores
	nl, ls, sc := c.endpoints+c.services, c.leaves*c.leafUp, spines*c.spineUp
	k := Count{
		Nodes:     ceilDiv(c.endpoints, c.nodeNICs),
		Endpoints: c.endpoints,
		Services:  c.services,
		Switches:  [3]int{planes * c.leaves, planes * spines, planes * cores},
	}
	k.Cables[NodeLeaf], k.Cables[LeafSpine], k.Cables[SpineCore] = planes*nl, planes*ls, planes*sc
	k.PortsUsed = planes * (nl + 2*ls + 2*sc)
	k.PortsFree = k.TotalSwitches()*c.radix - k.PortsUsed
	return k
}

func (c *clos) build() *Graph {
	b := newBuilder(c.lengths)
	b.grow(c.count(1))
	b.add(Endpoint, 0, 1, c.endpoints+c.services, c.endpoint)
	leaves, spines, cores := c.addSwitches(b, -1)
	c.wireEndpoints(b, leaves, 0)
	c.wireSwitches(b, leaves, spines, cores)
	b.g.Services, b.g.NodeNICs = c.services, c.nodeNICs
	return &b.g
}

// addSwitches adds the switches, leaves first. In a fabric of several planes, their names contain
// the plane.
func (c *clos) addSwitches(b *builder, plane int) (leaves, spines, cores NodeID) {
	label := func(n *Node) {
		if plane >= 0 {
			n.Plane = int32(plane)
			n.Name = fmt.Sprintf("plane%d/%s", plane, n.Name)
		}
	}
	leaves = b.add(Switch, 1, c.radix, c.leaves, func(i int, n *Node) { c.leaf(i, n); label(n) })
	spines = b.add(Switch, 2, c.radix, c.groups*c.spines, func(i int, n *Node) {
		c.spine(i/c.spines, i%c.spines, n)
		label(n)
	})
	cores = b.add(Switch, 3, c.radix, c.spines*c.cores, func(i int, n *Node) { c.core(i, n); label(n) })
	return leaves, spines, cores
}

// wireEndpoints connects the endpoints to the low ports of their leaves.
func (c *clos) wireEndpoints(b *builder, leaves NodeID, port int32) {
	for e := range c.endpoints + c.services {
		b.join(NodeLeaf, End{NodeID(e), port}, b.free(leaves+NodeID(c.leafOf(e))))
	}
}

// wireSwitches connects the switches: uplinks use the high ports in the order of the switches
// above, downlinks the low ports.
func (c *clos) wireSwitches(b *builder, leaves, spines, cores NodeID) {
	for l := range c.leaves {
		g, index := c.groupOf(l)
		for t := range c.leafUp {
			s := g*c.spines + uplink(index, t, c.leafUp, c.spines)
			b.join(LeafSpine, End{leaves + NodeID(l), int32(c.radix - c.leafUp + t)}, b.free(spines+NodeID(s)))
		}
	}
	for s := range c.groups * c.spines {
		g, plane := s/c.spines, s%c.spines
		for t := range c.spineUp {
			k := plane*c.cores + uplink(g, t, c.spineUp, c.cores)
			b.join(SpineCore, End{spines + NodeID(s), int32(c.radix - c.spineUp + t)}, b.free(cores+NodeID(k)))
		}
	}
}

// leafPorts divides the ports of a leaf between endpoints and uplinks.
func leafPorts(radix, down, endpoints int, r Ratio) (int, int, error) {
	if down == 0 {
		down = min(r.split(radix), endpoints)
	}
	if down < 1 {
		return 0, 0, fmt.Errorf("a leaf of radix %d has no port for an endpoint at an oversubscription of %s: take larger switches or fewer uplinks", radix, r)
	}
	up := r.up(down)
	if down+up > radix {
		return 0, 0, fmt.Errorf("a leaf with %d endpoints and %d uplinks needs %d ports and has %d: take fewer endpoints per leaf, larger switches or more oversubscription than %s",
			down, up, down+up, radix, r)
	}
	return down, up, nil
}

// upper chooses or checks the number of switches above.
func upper(what string, asked, below, up, radix int, equal bool) (int, error) {
	if asked == 0 {
		return upperCount(below, up, radix, equal), nil
	}
	if asked > up {
		return 0, fmt.Errorf("%d %s are more than the %d uplinks of each switch below, so that not every pair would be joined: take at most %d", asked, what, up, up)
	}
	if need := ceilDiv(below*up, asked); need > radix {
		return 0, fmt.Errorf("%d %s with %d ports down cannot take %d switches with %d uplinks each (%d ports each): take at least %d",
			asked, what, radix, below, up, need, ceilDiv(below*up, radix))
	}
	return asked, nil
}
