package topology

import (
	"cmp"
	"fmt"

	"weft/internal/base/wording"
)

// Rail is the rail-optimised fabric of a GPU cluster: NIC r of every node of a scalable unit (SU)
// is on leaf r of that unit, so that GPUs of the same rank inside a unit are one switch apart.
// Endpoint index = node*Rails + r.
//
// A node may be a rack of trays with Rails NICs each (72 GPUs of a GB200 NVL72 are 18 trays of
// four): NIC r of every tray is on rail r, and NIC i of a node is NIC i mod Rails of its tray i /
// Rails. Units are whole nodes if a leaf has the ports.
//
// # The rule for the levels above
//
// The rule gives every size in the table of the DGX H100 SuperPOD (NVIDIA RA-11333-001 v11: 32
// nodes a unit, 8 rails, switches of 64 ports) and goes on between and beyond them:
//
//   - A leaf has as many uplinks as the oversubscription asks for a full unit,
//     full or not.
//   - As long as one spine reaches every leaf (leaves ≤ ports of a spine, so up
//     to 8 units of the SuperPOD), there are two levels. The number of spines
//     is the lowest that divides the uplinks, so that bundles are equal: with
//     32 uplinks they are powers of two. 1, 2, 3, 4 units have 4, 8, 16, 16
//     spines (12 would do for the third, with unequal bundles), 5, 6, 7 and 8
//     have 32.
//   - Beyond, the leaves of one rail form a group with its own spines, so that
//     same-rail traffic stays below the cores; a group is as many units as a
//     spine has ports down (32), and more units are divided into equal pods,
//     each with a group per rail. Spine j of all groups belongs to plane j of
//     the cores. 12 units have 8 groups of 12 leaves and 16 spines (24 ports
//     down, 24 up): 128 spines, 16 planes of 3 cores. 16 units have 128 and
//     64, 32 units 256 and 128; 48 units are two pods of 24: 16 groups of 32
//     spines, 32 planes of 6 cores.
//
// With 16 nodes of 8 NICs, one unit has one leaf per rail with 16 nodes and 16 uplinks, and two
// spines of 64 ports join the rails.
type Rail struct {
	Nodes int
	Rails int // NICs of a node, or of each of its trays; 0 is 8
	Trays int // of a node; 0 is 1
	Radix int // ports of a switch; 0 is 64
	// UnitNodes is the number of nodes of a scalable unit; 0 is the number that the leaf's ports
	// and the oversubscription allow, or all nodes if fewer.
	UnitNodes int
	// UFM reserves the place of one node in the last unit for the fabric's manager, which has
	// 4 endpoints, if there are as many rails, after the endpoints of the nodes.
	UFM bool
	// Spare is the number of free ports for endpoints on the leaves, beyond the nodes' endpoints:
	// for storage, gateways, growth. Each rail has its share.
	Spare int
	// LeafOversubscription is nodes of a unit to uplinks of a leaf; SpineOversubscription is
	// downlinks to uplinks of a spine, in a fabric with cores; zero is 1:1.
	LeafOversubscription, SpineOversubscription Ratio
	// GroupSpines is the spines of a group (all spines when there are no cores),
	// PlaneCores the cores of a plane; 0 follows the rule.
	GroupSpines, PlaneCores int
	Lengths                 Lengths
}

// railSizes is a Rail with the defaults filled in.
type railSizes struct {
	Rail
	services int
	trays    int // of all nodes
	unit     int // trays of a scalable unit
	units    int
	up       int // uplinks of a leaf
}

func (s Rail) sizes() (railSizes, error) {
	s.Rails, s.Trays, s.Radix = cmp.Or(s.Rails, 8), cmp.Or(s.Trays, 1), cmp.Or(s.Radix, 64)
	err := firstError(
		checkSizes(size{"the number of nodes", s.Nodes, 1, maxEndpoints},
			size{"the number of rails", s.Rails, 1, 1024},
			size{"the number of trays of a node", s.Trays, 1, 1024},
			size{"the radix", s.Radix, 2, maxRadix},
			size{"the number of nodes of a scalable unit", s.UnitNodes, 0, maxRadix},
			size{"the number of spare ports", s.Spare, 0, maxEndpoints},
			size{"the number of spines", s.GroupSpines, 0, maxEndpoints},
			size{"the number of cores of a plane", s.PlaneCores, 0, maxEndpoints},
			size{"the number of endpoints", s.Nodes * s.Trays * s.Rails, 1, maxEndpoints}),
		s.LeafOversubscription.check("leaf"), s.SpineOversubscription.check("spine"),
		s.Lengths.check())
	if err != nil {
		return railSizes{}, err
	}
	z := railSizes{Rail: s, trays: s.Nodes * s.Trays}
	places := z.trays + ceilDiv(s.Spare, s.Rails)
	if s.UFM {
		z.services = min(4, s.Rails)
		places++
	}
	z.unit, z.up, err = leafPorts(s.Radix, s.UnitNodes*s.Trays, places, s.LeafOversubscription)
	if part := z.unit % s.Trays; err == nil && part > 0 && z.unit > s.Trays && z.unit < places {
		z.unit, z.up, err = leafPorts(s.Radix, z.unit-part, places, s.LeafOversubscription)
	}
	if err != nil {
		return z, err
	}
	z.units = ceilDiv(z.trays+ceilDiv(s.Spare, s.Rails), z.unit)
	if hold := z.units * z.unit; places > hold {
		what := "nodes"
		if s.Trays > 1 {
			what = "trays"
		}
		return z, fmt.Errorf("%d %s leave no place for UFM in %s of %d %[2]s: take %[5]d %[2]s or one unit more",
			z.trays, what, wording.Counted(z.units, "scalable unit", "scalable units"), z.unit, hold-1)
	}
	return z, nil
}

func (s Rail) plan() (*clos, error) {
	z, err := s.sizes()
	if err != nil {
		return nil, err
	}
	c := &clos{
		endpoints: z.trays * z.Rails, services: z.services, nodeNICs: z.Rails * z.Trays,
		radix: z.Radix, leaves: z.units * z.Rails, leafUp: z.up, lengths: z.Lengths,
	}
	per, pods := z.units, 1 // units of a pod
	if c.leaves <= z.Radix {
		c.groups = 1
		c.spines, err = upper("spines", z.GroupSpines, c.leaves, z.up, z.Radix, true)
	} else {
		per, pods, err = z.planCores(c)
	}
	if err != nil {
		return nil, err
	}
	z.label(c, per, pods)
	return c, nil
}

// planCores chooses the levels above the leaves if one spine cannot reach all leaves.
func (z *railSizes) planCores(c *clos) (per, pods int, err error) {
	down := z.SpineOversubscription.split(z.Radix)
	if down < 1 {
		return 0, 0, fmt.Errorf("a spine of radix %d has no port down at an oversubscription of %s: take larger switches", z.Radix, z.SpineOversubscription)
	}
	pods = ceilDiv(z.units, down)
	per = ceilDiv(z.units, pods)
	pods = ceilDiv(z.units, per)
	c.groups = pods * z.Rails
	if c.groups > z.Radix {
		if z.Radix < z.Rails {
			return 0, 0, fmt.Errorf("%d rails make as many groups of leaves, and a switch of %d ports cannot connect them: take fewer rails, larger switches or another shape", z.Rails, z.Radix)
		}
		most := z.Radix / z.Rails * down * z.unit / z.Trays
		return 0, 0, fmt.Errorf("%d scalable units of %d rails make %d groups of leaves, and a core of radix %d reaches only %d: a three-level fabric of these switches ends at %d nodes; take larger switches or fewer rails per fabric (planes)",
			z.units, z.Rails, c.groups, z.Radix, z.Radix, most)
	}
	t := tiers{per: per, up: z.up, sdown: down, groups: c.groups, radix: z.Radix, ratio: z.SpineOversubscription}
	err = t.choose(z.GroupSpines, z.PlaneCores, true)
	c.spines, c.spineUp, c.cores = t.spines, t.spineUp, t.cores
	return per, pods, err
}

// label sets the coordinates and the name of each node. Leaves are in the order of rails, then
// units; a group is the units of one pod in one rail.
func (z *railSizes) label(c *clos, per, pods int) {
	units, rails, unit, trays, nics := z.units, z.Rails, z.unit, z.trays, z.Rails*z.Trays
	place := func(e int) (rail, su int) {
		if e >= trays*rails {
			return e - trays*rails, units - 1
		}
		return e % rails, e / rails / unit
	}
	c.leafOf = func(e int) int {
		rail, su := place(e)
		return rail*units + su
	}
	c.endpoint = func(e int, n *Node) {
		rail, su := place(e)
		n.Rail, n.Group = int32(rail), int32(su)
		if n.Name = nicName(e, nics); e >= trays*rails {
			n.Name = fmt.Sprintf("ufm/nic%d", rail)
		}
	}
	c.leaf = func(l int, n *Node) {
		rail := l / units
		n.Rail, n.Group = int32(rail), int32(l%units)
		n.Name = fmt.Sprintf("leaf-r%d-su%d", rail, l%units)
	}
	c.core = func(i int, n *Node) { n.Name, n.Group = fmt.Sprintf("core%d", i), int32(i/c.cores) }
	if c.groups == 1 {
		c.groupOf = func(l int) (int, int) { return 0, l }
		c.spine = func(_, j int, n *Node) { n.Name = fmt.Sprintf("spine%d", j) }
		return
	}
	c.groupOf = func(l int) (int, int) { return l/units*pods + l%units/per, l % units % per }
	c.spine = func(g, j int, n *Node) {
		rail := g / pods
		n.Rail, n.Name = int32(rail), fmt.Sprintf("spine-r%d-%d", rail, j)
		if pods > 1 {
			n.Group, n.Name = int32(g%pods), fmt.Sprintf("spine-r%d-pod%d-%d", rail, g%pods, j)
		}
	}
}

// Count implements Spec.
func (s Rail) Count() (Count, error) { return countPlan(s.plan()) }

// Build implements Spec.
func (s Rail) Build() (*Graph, error) { return buildPlan(s.plan()) }
