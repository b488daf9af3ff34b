package topology

import (
	"cmp"
	"fmt"
)

// TwoLevel is a fat tree of leaves and spines (leaf-spine, folded Clos of
// three stages): every leaf reaches every spine, by a bundle of cables when
// it has more uplinks than there are spines.
//
// Endpoints fill leaf after leaf; the last leaf may have free ports. Uplinks
// go round the spines (uplink t to spine t mod Spines).
type TwoLevel struct {
	Endpoints int
	NodeNICs  int // endpoints of a host; 0 is 1
	Radix     int // ports of a switch
	// Oversubscription is endpoints to uplinks of a full leaf; zero is 1:1.
	Oversubscription Ratio
	// LeafEndpoints is the ports of a leaf that are used down; 0 follows from Radix and
	// Oversubscription.
	LeafEndpoints int
	// Spines is the number of spines; 0 takes the fewest that give each leaf the same number of
	// cables to each spine. If equal bundles cost more than a third more spines, it takes the
	// fewest spines.
	Spines int
	// Spare is the number of free ports for endpoints on the leaves, beyond Endpoints: for storage,
	// gateways, growth.
	Spare   int
	Lengths Lengths
}

func (s TwoLevel) plan() (*clos, error) {
	nics := cmp.Or(s.NodeNICs, 1)
	err := firstError(
		checkSizes(size{"the number of endpoints", s.Endpoints, 1, maxEndpoints},
			size{"the number of NICs of a node", nics, 1, maxEndpoints},
			size{"the radix", s.Radix, 2, maxRadix},
			size{"the number of endpoints of a leaf", s.LeafEndpoints, 0, maxRadix},
			size{"the number of spare ports", s.Spare, 0, maxEndpoints},
			size{"the number of spines", s.Spines, 0, maxEndpoints}),
		s.Oversubscription.check("leaf"), s.Lengths.check())
	if err != nil {
		return nil, err
	}
	down, up, err := leafPorts(s.Radix, s.LeafEndpoints, s.Endpoints+s.Spare, s.Oversubscription)
	if err != nil {
		return nil, err
	}
	leaves := ceilDiv(s.Endpoints+s.Spare, down)
	if leaves > s.Radix {
		return nil, fmt.Errorf("%d endpoints need %d leaves of %d endpoints, and a spine of radix %d reaches only %d leaves: a two-level tree of these switches ends at %d endpoints; take three levels, larger switches or more oversubscription",
			s.Endpoints+s.Spare, leaves, down, s.Radix, s.Radix, s.Radix*down)
	}
	spines, err := upper("spines", s.Spines, leaves, up, s.Radix, false)
	if err != nil {
		return nil, err
	}
	return &clos{
		endpoints: s.Endpoints, nodeNICs: nics,
		radix: s.Radix, leaves: leaves, leafUp: up, groups: 1, spines: spines,
		leafOf:   func(e int) int { return e / down },
		groupOf:  func(l int) (int, int) { return 0, l },
		endpoint: func(e int, n *Node) { n.Name, n.Group = nicName(e, nics), int32(e/down) },
		leaf:     func(l int, n *Node) { n.Name, n.Group = fmt.Sprintf("leaf%d", l), int32(l) },
		spine:    func(_, j int, n *Node) { n.Name = fmt.Sprintf("spine%d", j) },
		lengths:  s.Lengths,
	}, nil
}

// Count implements Spec.
func (s TwoLevel) Count() (Count, error) { return countPlan(s.plan()) }

// Build implements Spec.
func (s TwoLevel) Build() (*Graph, error) { return buildPlan(s.plan()) }
