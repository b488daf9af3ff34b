package topology

import (
	"cmp"
	"fmt"
)

// SingleSwitch is one switch with all endpoints on it.
type SingleSwitch struct {
	Endpoints int
	NodeNICs  int // endpoints of a host; 0 is 1
	Radix     int // ports of the switch; 0 is as many as there are endpoints
	Spare     int // free ports, for storage, gateways, growth
	Lengths   Lengths
}

func (s SingleSwitch) plan() (*clos, error) {
	radix, nics := cmp.Or(s.Radix, s.Endpoints+s.Spare), cmp.Or(s.NodeNICs, 1)
	err := firstError(
		checkSizes(size{"the number of endpoints", s.Endpoints, 1, maxRadix},
			size{"the number of NICs of a node", nics, 1, maxEndpoints},
			size{"the number of spare ports", s.Spare, 0, maxRadix},
			size{"the radix", radix, 1, maxRadix}),
		s.Lengths.check())
	if err != nil {
		return nil, err
	}
	if places := s.Endpoints + s.Spare; places > radix {
		return nil, fmt.Errorf("%d endpoints do not fit one switch of radix %d: take a larger switch or a leaf-spine fabric", places, radix)
	}
	return &clos{
		endpoints: s.Endpoints, nodeNICs: nics,
		leaves: 1, radix: radix, groups: 1,
		leafOf:   func(int) int { return 0 },
		groupOf:  func(int) (int, int) { return 0, 0 },
		endpoint: func(e int, n *Node) { n.Name, n.Group = nicName(e, nics), 0 },
		leaf:     func(_ int, n *Node) { n.Name, n.Group = "switch", 0 },
		lengths:  s.Lengths,
	}, nil
}

// Count implements Spec.
func (s SingleSwitch) Count() (Count, error) { return countPlan(s.plan()) }

// Build implements Spec.
func (s SingleSwitch) Build() (*Graph, error) { return buildPlan(s.plan()) }

func countPlan(c *clos, err error) (Count, error) {
	if err != nil {
		return Count{}, err
	}
	return c.count(1), nil
}

func buildPlan(c *clos, err error) (*Graph, error) {
	if err != nil {
		return nil, err
	}
	return c.build(), nil
}
