package control

import (
	"weft/internal/base/topology"
	"weft/internal/ib/route"
	"weft/internal/ib/subnet"
	"weft/internal/sim/run/network"
	"weft/scenario"
	"weft/units"
)

// upDown gives an Ethernet fabric that requests it tables on which packets go towards the root
// switches and then away from them, and never towards them again: so no cyclic buffer dependency
// can form, whatever the shape. The paths may be longer than the shortest. They are the paths of
// the Subnet Manager's engine updn; the roots are the switches of the highest level, or, in a shape
// without levels, the first switch.
func upDown(p *network.Plan) error {
	if p.Fabric.Routing.Mode != scenario.UpDown {
		return nil
	}
	return eachPlane(p, func(sub *subnet.Subnet, nodes []topology.NodeID) error {
		res, err := route.Compute(sub, "updn", route.Options{Roots: roots(p, sub)})
		if err != nil {
			return err
		}
		return install(p, sub, nodes, res, "routing.mode up-down")
	})
}

// roots are the root switches of a subnet of the fabric: the switches of the highest level, or, in
// a shape without levels, the first.
func roots(p *network.Plan, sub *subnet.Subnet) (roots []units.GUID) {
	at := p.NodesByGUID()
	top, first := int8(0), topology.NodeID(-1)
	level := func(n *subnet.Node) int8 {
		if n.Kind != subnet.Switch {
			return 0
		}
		return p.Graph.Nodes[at[n.GUID]].Level
	}
	for i := range sub.Nodes {
		n := &sub.Nodes[i]
		top = max(top, level(n))
		if n.Kind == subnet.Switch && (first < 0 || at[n.GUID] < first) {
			first = at[n.GUID]
		}
	}
	for i := range sub.Nodes {
		if n := &sub.Nodes[i]; n.Kind == subnet.Switch && level(n) == top && (!flat(p) || at[n.GUID] == first) {
			roots = append(roots, n.GUID)
		}
	}
	return roots
}

// flat reports whether all switches have the same level.
func flat(p *network.Plan) bool {
	for i := range p.Graph.Nodes {
		if p.Graph.Nodes[i].Kind == topology.Switch && p.Graph.Nodes[i].Level != 1 {
			return false
		}
	}
	return true
}
