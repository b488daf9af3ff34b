package topology

import (
	"cmp"
	"fmt"
)

// tree is a Spec that has a plan of leaves, spines and cores.
type tree interface {
	Spec
	plan() (*clos, error)
}

// MultiPlane is several equal fabrics side by side, with no cable between
// them. There are two ways to plug nodes into them:
//
//   - Every NIC has one port on each plane (the default; Alibaba HPN's
//     dual-ToR dual-plane, SIGCOMM 2024, is this with two planes of a Rail
//     fabric). An endpoint of the graph is then a NIC with a port per plane:
//     port p leads to plane p, and a leaf that dies costs the NIC half its
//     rate. Every pair is reachable through every plane.
//   - Split: every plane takes its share of the NICs. NIC r of a node is on
//     plane r mod Planes, where it is NIC r / Planes of that plane's node.
//     Endpoints of different planes do not reach each other: such traffic
//     changes the NIC inside the node.
//
// In both the switches' names begin with their plane, plane1/leaf-r5-su0, and
// rails count over all planes.
type MultiPlane struct {
	// Fabric is one plane: a SingleSwitch, TwoLevel, ThreeLevel, KAry or Rail. Without Split it has
	// all NICs of the nodes, with Split the NICs of one plane (8 NICs on two planes: a Rail of 4
	// rails).
	Fabric Spec
	Planes int // 0 is 2
	Split  bool
}

func (s MultiPlane) plan() (*clos, int, error) {
	planes := cmp.Or(s.Planes, 2)
	if err := checkSizes(size{"the number of planes", planes, 1, 16}); err != nil {
		return nil, 0, err
	}
	t, ok := s.Fabric.(tree)
	if !ok {
		return nil, 0, fmt.Errorf("a plane cannot be a %T: take a single switch, a fat tree of two or three levels or a rail-optimised fabric", s.Fabric)
	}
	c, err := t.plan()
	if err != nil {
		return nil, 0, fmt.Errorf("in each plane, %w", err)
	}
	if s.Split && c.services > 0 {
		return nil, 0, fmt.Errorf("UFM is not placed in planes that divide the NICs: leave it out of the fabric of a plane")
	}
	return c, planes, nil
}

// Count implements Spec.
func (s MultiPlane) Count() (Count, error) {
	c, planes, err := s.plan()
	if err != nil {
		return Count{}, err
	}
	k := c.count(planes)
	if s.Split {
		k.Endpoints *= planes
	}
	return k, nil
}

// Build implements Spec.
func (s MultiPlane) Build() (*Graph, error) {
	c, planes, err := s.plan()
	if err != nil {
		return nil, err
	}
	k, _ := s.Count()
	b := newBuilder(c.lengths, c.rates)
	b.grow(k)
	if s.Split {
		b.add(Endpoint, 0, 1, k.Endpoints, func(e int, n *Node) {
			nics := c.nodeNICs * planes
			r := e % nics
			c.endpoint(e/nics*c.nodeNICs+r/planes, n)
			n.Name, n.Plane = nicName(e, nics), int32(r%planes)
			if n.Rail >= 0 {
				n.Rail = n.Rail*int32(planes) + int32(r%planes)
			}
		})
		b.g.NodeNICs = c.nodeNICs * planes
	} else {
		b.add(Endpoint, 0, planes, c.endpoints+c.services, c.endpoint)
		b.g.NodeNICs, b.g.Services = c.nodeNICs, c.services
	}
	for p := range planes {
		if s.Split {
			c.railOf = func(r int) int { return r*planes + p }
		}
		leaves, spines, cores := c.addSwitches(b, p)
		port, node := int32(p), func(e int) NodeID { return NodeID(e) }
		if s.Split {
			port = 0
			node = func(e int) NodeID {
				return NodeID(e*planes + p)
			}
		}
		c.wireEndpoints(b, leaves, port, node)
		c.wireSwitches(b, leaves, spines, cores)
	}
	b.g.Planes = planes
	return &b.g, nil
}
