package control

import (
	"fmt"

	"weft/internal/base/topology"
	"weft/internal/base/wording"
	"weft/internal/ib/route"
	"weft/internal/ib/subnet"
	"weft/internal/sim/run/network"
	"weft/scenario"
)

// givenEngine is the name of tables that the scenario gives, where an engine's name is expected.
const givenEngine route.Name = "tables of the scenario"

// givenTables are these tables in errors.
const givenTables = "the tables of routing.tables"

// given are the tables that a scenario gives, for its whole fabric: ports, and levels and lanes if it has them.
func given(p *network.Plan, sub *subnet.Subnet, nodes []topology.NodeID) (*route.Result, error) {
	r := &p.Fabric.Routing
	if len(r.Forwarding) != p.Graph.Switches() {
		return nil, fmt.Errorf("routing.forwarding has the tables of %d switches, and the fabric %d", len(r.Forwarding), p.Graph.Switches())
	}
	t := subnet.NewTables(sub)
	for dense, at := range t.Switch {
		ports := r.Forwarding[int(nodes[at])-p.Graph.Endpoints].Ports()
		if want := p.Graph.Endpoints << r.LMC; len(ports) != want {
			return nil, fmt.Errorf("routing.forwarding: the table of %s has %d entries, and the fabric %d LIDs of NICs", sub.Nodes[at].Name, len(ports), want)
		}
		for i := range sub.Nodes {
			n := &sub.Nodes[i]
			if n.Kind == subnet.Switch {
				continue
			}
			for k := range 1 << r.LMC {
				t.LFT[dense][int(n.Ports[n.Base()].LID)+k] = ports[k*p.Graph.Endpoints+int(nodes[i])]
			}
		}
	}
	if err := eachLeafHasEntries(p, r.Forwarding); err != nil {
		return nil, err
	}
	if err := givenLanes(p, sub, nodes, t); err != nil {
		return nil, err
	}
	return &route.Result{Tables: t, Report: route.Report{Choice: route.Choice{Asked: givenEngine, Used: givenEngine}, Lanes: t.Lanes}}, nil
}

// eachLeafHasEntries names the first NIC of the cluster for which a switch with other NICs of the cluster has no entry,
// and the number of such entries.
func eachLeafHasEntries(p *network.Plan, rows []scenario.PortRow) error {
	g := p.Graph
	missing, first := 0, ""
	seen := map[topology.NodeID]bool{}
	for nic := range g.Compute() {
		leaf, _, ok := g.Peer(topology.End{Node: topology.NodeID(nic)})
		if !ok || seen[leaf.Node] {
			continue
		}
		seen[leaf.Node] = true
		for to, port := range rows[int(leaf.Node)-g.Endpoints].Ports()[:g.Compute()] {
			if port != subnet.NoPort {
				continue
			}
			if missing++; missing == 1 {
				first = fmt.Sprintf("%s has no entry for %s", g.Nodes[leaf.Node].Name, g.Nodes[to].Name)
				if lid := g.Nodes[to].ID.LID; lid > 0 {
					first += fmt.Sprintf(" (LID %d)", lid)
				}
			}
		}
	}
	if missing > 0 {
		return fmt.Errorf("the tables of routing.tables: %s; %s of switches with NICs of the cluster", first, wording.Counted(missing, "such entry is missing in the tables", "such entries are missing in the tables"))
	}
	return nil
}
