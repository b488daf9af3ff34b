package sim

import (
	"fmt"

	"weft/internal/routing/engine"
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
	for plane := range max(1, p.graph.Planes) {
		sub, nodes, err := subnetOf(p.graph, plane)
		if err != nil {
			return fmt.Errorf("fabric %s: %w", p.fabric.Name, err)
		}
		if err := sub.AssignLIDs(0); err != nil {
			return fmt.Errorf("fabric %s: %w", p.fabric.Name, err)
		}
		var roots []units.GUID
		for i, at := range nodes {
			if p.root(at) {
				roots = append(roots, sub.Nodes[i].GUID)
			}
		}
		res, err := engine.Route(sub, engine.Name("updn"), engine.Options{Roots: roots})
		if err != nil {
			return fmt.Errorf("fabric %s: %w", p.fabric.Name, err)
		}
		if err := p.prove(sub, res.Tables); err != nil {
			return fmt.Errorf("fabric %s: %w", p.fabric.Name, err)
		}
		p.adopt(sub, res.Tables, nodes)
	}
	return nil
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
