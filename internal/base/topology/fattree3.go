package topology

import (
	"cmp"
	"fmt"
)

// ThreeLevel is a fat tree of leaves, spines and cores. Leaves and spines form pods, inside which
// every leaf reaches every spine; spine j of every pod reaches the cores of plane j, so that there
// are as many planes of cores as spines in a pod.
//
// Pods are as large as the spines' ports down allow, and as equal as the number of leaves permits;
// the last may be smaller. Numbers of spines and cores that are 0 follow the rule of TwoLevel.
type ThreeLevel struct {
	Endpoints int
	NodeNICs  int // endpoints of a host; 0 is 1
	Radix     int // ports of a switch
	// LeafOversubscription is endpoints to uplinks of a full leaf,
	// SpineOversubscription downlinks to uplinks of a spine; zero is 1:1.
	LeafOversubscription, SpineOversubscription Ratio
	// LeafEndpoints is the ports of a leaf that are used down; 0 follows from Radix and
	// LeafOversubscription.
	LeafEndpoints int
	PodSpines     int // spines of a pod; 0 as above
	PlaneCores    int // cores of a plane; 0 as above
	// Spare is the number of free ports for endpoints on the leaves, beyond Endpoints: for storage,
	// gateways, growth.
	Spare   int
	Lengths Lengths
}

func (s ThreeLevel) plan() (*clos, error) {
	nics := cmp.Or(s.NodeNICs, 1)
	if err := s.check(nics); err != nil {
		return nil, err
	}
	down, up, err := leafPorts(s.Radix, s.LeafEndpoints, s.Endpoints+s.Spare, s.LeafOversubscription)
	if err != nil {
		return nil, err
	}
	leaves := ceilDiv(s.Endpoints+s.Spare, down)
	sdown := s.SpineOversubscription.split(s.Radix)
	if sdown < 1 {
		return nil, fmt.Errorf("a spine of radix %d has no port down at an oversubscription of %s: take larger switches", s.Radix, s.SpineOversubscription)
	}
	per := ceilDiv(leaves, ceilDiv(leaves, sdown)) // leaves of a pod
	pods := ceilDiv(leaves, per)
	t := tiers{per: per, up: up, sdown: sdown, groups: pods, radix: s.Radix, ratio: s.SpineOversubscription}
	if err := t.choose(s.PodSpines, s.PlaneCores, false); err != nil {
		return nil, err
	}
	if pods > s.Radix {
		return nil, fmt.Errorf("%d endpoints need %d pods of %d endpoints, and a core of radix %d reaches only %d pods: a three-level tree of these switches ends at %d endpoints; take larger switches or more oversubscription",
			s.Endpoints+s.Spare, pods, per*down, s.Radix, s.Radix, s.Radix*per*down)
	}
	return &clos{
		endpoints: s.Endpoints, nodeNICs: nics,
		radix: s.Radix, leaves: leaves, leafUp: up, groups: pods, spines: t.spines, spineUp: t.spineUp, cores: t.cores,
		leafOf:   func(e int) int { return e / down },
		groupOf:  func(l int) (int, int) { return l / per, l % per },
		endpoint: func(e int, n *Node) { n.Name, n.Group = nicName(e, nics), int32(e/down/per) },
		leaf: func(l int, n *Node) {
			n.Name, n.Group = fmt.Sprintf("pod%d/leaf%d", l/per, l%per), int32(l/per)
		},
		spine:   func(g, j int, n *Node) { n.Name, n.Group = fmt.Sprintf("pod%d/spine%d", g, j), int32(g) },
		core:    func(i int, n *Node) { n.Name, n.Group = fmt.Sprintf("core%d", i), int32(i/t.cores) },
		lengths: s.Lengths,
	}, nil
}

func (s ThreeLevel) check(nics int) error {
	return firstError(
		checkSizes(size{"the number of endpoints", s.Endpoints, 1, maxEndpoints},
			size{"the number of NICs of a node", nics, 1, maxEndpoints},
			size{"the radix", s.Radix, 2, maxRadix},
			size{"the number of endpoints of a leaf", s.LeafEndpoints, 0, maxRadix},
			size{"the number of spare ports", s.Spare, 0, maxEndpoints},
			size{"the number of spines of a pod", s.PodSpines, 0, maxEndpoints},
			size{"the number of cores of a plane", s.PlaneCores, 0, maxEndpoints}),
		s.LeafOversubscription.check("leaf"), s.SpineOversubscription.check("spine"),
		s.Lengths.check())
}

// Count implements Spec.
func (s ThreeLevel) Count() (Count, error) { return countPlan(s.plan()) }

// Build implements Spec.
func (s ThreeLevel) Build() (*Graph, error) { return buildPlan(s.plan()) }

// tiers chooses the levels above the leaves of a three-level tree.
type tiers struct {
	per, up int // leaves of a group, uplinks of a leaf
	sdown   int // ports down of a spine
	groups  int // groups of leaves
	radix   int
	ratio   Ratio // of the spines
	spines  int   // result: spines per group
	spineUp int   // result: uplinks per spine
	cores   int   // result: cores per plane
}

func (t *tiers) choose(spines, cores int, equal bool) (err error) {
	if t.groups > t.radix {
		return nil // the caller reports the misfit, in the words of its shape
	}
	if t.spines, err = upper("spines", spines, t.per, t.up, t.sdown, equal); err != nil {
		return err
	}
	t.spineUp = t.ratio.up(ceilDiv(t.per*t.up, t.spines))
	t.cores, err = upper("cores", cores, t.groups, t.spineUp, t.radix, false)
	return err
}

// KAry is the classic k-ary fat tree (Al-Fares, Loukissas and Vahdat,
// SIGCOMM 2008): k pods of k/2 leaves and k/2 spines, (k/2)² cores, k³/4
// endpoints, all switches of radix k. k = 8 has 128 endpoints on 80 switches,
// k = 16 has 1024 on 320.
type KAry struct{ K int }

func (s KAry) plan() (*clos, error) {
	if s.K < 2 || s.K > 256 || s.K%2 != 0 {
		return nil, fmt.Errorf("k is %d: a k-ary fat tree needs an even k from 2 to 256, half of a switch's ports down and half up", s.K)
	}
	return ThreeLevel{Endpoints: s.K * s.K * s.K / 4, Radix: s.K}.plan()
}

// Count implements Spec.
func (s KAry) Count() (Count, error) { return countPlan(s.plan()) }

// Build implements Spec.
func (s KAry) Build() (*Graph, error) { return buildPlan(s.plan()) }
