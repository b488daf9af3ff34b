package control

import (
	"fmt"

	"weft/internal/base/topology"
	"weft/internal/ib/route"
	"weft/internal/ib/subnet"
	"weft/internal/sim/run/network"
)

// givenEngine is the name of tables that the scenario gives, where an engine's name is expected.
const givenEngine route.Name = "tables of the scenario"

// given are the forwarding tables that a scenario gives, for its whole fabric.
func given(p *network.Plan, sub *subnet.Subnet, nodes []topology.NodeID) (*route.Result, error) {
	rows := p.Fabric.Routing.Forwarding
	if len(rows) != p.Graph.Switches() {
		return nil, fmt.Errorf("routing.forwarding has the tables of %d switches, and the fabric %d", len(rows), p.Graph.Switches())
	}
	t := subnet.NewTables(sub)
	for dense, at := range t.Switch {
		ports := rows[int(nodes[at])-p.Graph.Endpoints].Ports()
		if len(ports) != p.Graph.Endpoints {
			return nil, fmt.Errorf("routing.forwarding: the table of %s has %d entries, and the fabric %d NICs", sub.Nodes[at].Name, len(ports), p.Graph.Endpoints)
		}
		for i := range sub.Nodes {
			n := &sub.Nodes[i]
			if n.Kind != subnet.Switch {
				t.LFT[dense][n.Ports[n.Base()].LID] = ports[nodes[i]]
			}
		}
	}
	return &route.Result{Tables: t, Report: route.Report{Choice: route.Choice{Asked: givenEngine, Used: givenEngine}}}, nil
}
