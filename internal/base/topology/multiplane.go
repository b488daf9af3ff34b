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
// them. Every NIC has one port on each plane (Alibaba HPN's dual-ToR dual-plane,
// SIGCOMM 2024, is this with two planes of a Rail fabric). An endpoint of the
// graph is a NIC with a port per plane: port p leads to plane p, and a leaf that
// dies costs the NIC half its rate. Every pair is reachable through every plane.
//
// The switches' names begin with their plane, plane1/leaf-r5-su0.
type MultiPlane struct {
	// Fabric is one plane, with all NICs of the nodes: a SingleSwitch, TwoLevel, ThreeLevel, KAry or Rail.
	Fabric Spec
	Planes int // 0 is 2
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
	return c, planes, nil
}

// Count implements Spec.
func (s MultiPlane) Count() (Count, error) {
	c, planes, err := s.plan()
	if err != nil {
		return Count{}, err
	}
	return c.count(planes), nil
}

// Build implements Spec.
func (s MultiPlane) Build() (*Graph, error) {
	c, planes, err := s.plan()
	if err != nil {
		return nil, err
	}
	b := newBuilder(c.lengths)
	b.grow(c.count(planes))
	b.add(Endpoint, 0, planes, c.endpoints+c.services, c.endpoint)
	b.g.NodeNICs, b.g.Services = c.nodeNICs, c.services
	for p := range planes {
		leaves, spines, cores := c.addSwitches(b, p)
		c.wireEndpoints(b, leaves, int32(p))
		c.wireSwitches(b, leaves, spines, cores)
	}
	b.g.Planes = planes
	return &b.g, nil
}
