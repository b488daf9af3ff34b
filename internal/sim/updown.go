package sim

import (
	"weft/internal/routing/engine"
	"weft/internal/subnet"
	"weft/internal/topology"
	"weft/scenario"
	"weft/units"
)

// upDown gives an Ethernet fabric that asks for it tables on which packets go
// towards the root switches and then away from them, and never towards them
// again: no circle of buffers can close, whatever the shape. The paths may be longer
// than the shortest. They are those of the Subnet Manager's engine updn; the roots
// are the switches of the highest level, and of a shape without levels the first.
func (p *plan) upDown() error {
	if p.fabric.Routing.Mode != scenario.UpDown {
		return nil
	}
	return p.eachPlane(func(sub *subnet.Subnet, nodes []topology.NodeID) error {
		var roots []units.GUID
		for i, at := range nodes {
			if p.root(at) {
				roots = append(roots, sub.Nodes[i].GUID)
			}
		}
		_, err := p.install(sub, nodes, "updn", engine.Options{Roots: roots}, "routing.mode up-down")
		return err
	})
}

// root reports whether a switch is one that packets go up to.
func (p *plan) root(at topology.NodeID) bool {
	nd := &p.graph.Nodes[at]
	if nd.Kind != topology.Switch {
		return false
	}
	for i := range p.graph.Nodes {
		o := &p.graph.Nodes[i]
		if o.Kind != topology.Switch || o.Plane != nd.Plane {
			continue
		}
		if o.Level > nd.Level || p.flat() && topology.NodeID(i) < at {
			return false
		}
	}
	return true
}

// flat reports whether all switches are of one level.
func (p *plan) flat() bool {
	for i := range p.graph.Nodes {
		if p.graph.Nodes[i].Kind == topology.Switch && p.graph.Nodes[i].Level != 1 {
			return false
		}
	}
	return true
}
