package plan

import (
	"fmt"

	"weft/internal/base/topology"
	"weft/internal/sim/run/network"
	"weft/scenario"
	"weft/units"
)

// Breakable names an uplink of the first leaf and the first spine, in the form of faults, if others
// can take their load, and a NIC that shares a leaf with the first.
func Breakable(d *Design, m Model, at units.Time) (faults []scenario.Fault, neighbour int, err error) {
	r, err := Scaled(d, m)
	if err != nil {
		return nil, 0, err
	}
	spec, err := network.Shape(&r.Fabrics[0].Topology, &r.Cluster)
	if err != nil {
		return nil, 0, err
	}
	g, err := spec.Build()
	if err != nil {
		return nil, 0, err
	}
	leaf := topology.NodeID(g.Endpoints)
	var uplinks []int
	spines := map[topology.NodeID]bool{}
	first := topology.NodeID(-1)
	for port := range g.Nodes[leaf].Cables {
		peer, _, ok := g.Peer(topology.End{Node: leaf, Port: int32(port)})
		switch {
		case !ok:
		case g.Nodes[peer.Node].Level == 0:
			neighbour = int(peer.Node)
		default:
			uplinks = append(uplinks, port)
			spines[peer.Node] = true
			if first < 0 {
				first = peer.Node
			}
		}
	}
	if len(uplinks) > 1 {
		faults = append(faults, scenario.Fault{At: at, Link: fmt.Sprintf("%s port %d", g.Nodes[leaf].Name, uplinks[0]+1)})
	}
	if len(spines) > 1 {
		faults = append(faults, scenario.Fault{At: at, Switch: g.Nodes[first].Name})
	}
	if neighbour == 0 {
		faults = nil // no two NICs share a leaf
	}
	return faults, neighbour, nil
}
