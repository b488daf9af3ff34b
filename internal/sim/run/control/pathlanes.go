package control

import (
	"fmt"

	"weft/internal/base/topology"
	"weft/internal/ib/proof"
	routes "weft/internal/ib/route"
	"weft/internal/ib/subnet"
	"weft/internal/sim/routing"
	"weft/internal/sim/run/network"
	"weft/scenario"
	"weft/units"
)

// takeLanes gives the packets of a plane the service levels and lanes of their paths, if tables
// need lanes to be free of deadlock. asked is the scenario's wording, for errors.
func takeLanes(p *network.Plan, sub *subnet.Subnet, t *subnet.Tables, nodes []topology.NodeID, asked string) (err error) {
	if t.Lanes <= 1 {
		return nil
	}
	f := p.Fabric
	switch {
	case f.Routing.Mode != scenario.Deterministic:
		return fmt.Errorf("%s needs %d virtual lanes, path by path, and with %s routing packets leave their paths: take routing.mode deterministic", asked, t.Lanes, f.Routing.Mode)
	case p.OwnLevels:
		return fmt.Errorf("%s needs the service levels for itself, path by path: the scenario gives levels of its own (ib.ack-sl, ib.service-levels, workload.flows[].sl, beside[].class)", asked)
	}
	levels := network.PathLevels{Of: t.SL, LID: make([]units.LID, p.Graph.Endpoints)}
	for i := range sub.Nodes {
		if n := &sub.Nodes[i]; n.Kind != subnet.Switch {
			levels.LID[nodes[i]] = n.Ports[n.Base()].LID
		}
	}
	if levels.AtNIC, err = nicLanes(p); err != nil {
		return err
	}
	p.Paths = append(p.Paths, levels)
	addMaps(p, t, nodes)
	return nil
}

// addMaps adds the SL2VL tables of a plane's switches to the rule of the fabric. Without such
// tables a level's lane is its number.
func addMaps(p *network.Plan, t *subnet.Tables, nodes []topology.NodeID) {
	if p.Maps == nil {
		p.Maps = make([]*routing.LevelMap, p.Graph.Switches())
	}
	count := t.Lanes
	if p.Lanes != nil {
		count = max(count, p.Lanes.Count)
	}
	for i := range t.SL2VL {
		p.Maps[int(nodes[t.Switch[i]])-p.Graph.Endpoints] = levelMap(&t.SL2VL[i])
	}
	p.Lanes = routing.LanesByLevel(count, p.Maps)
}

// torusConf is the content of a torus-2QoS.conf for the fabric; nil if torus-2QoS does not route
// the shape.
func torusConf(p *network.Plan) *routes.TorusConf {
	g := p.Graph
	if g.Family != topology.FamilyTorus || len(g.Dims) > 3 {
		return nil
	}
	guid := make([]units.GUID, len(g.Nodes))
	for id, node := range p.NodesByGUID() {
		guid[node] = id
	}
	open := make([]bool, len(g.Dims))
	for dim := range open {
		open[dim] = !g.Ring
	}
	return routes.NewTorusConf(g.Dims, open, guid[g.Endpoints:g.Endpoints+g.Switches()])
}

// groupsOf are the groups of a dragonfly's switches, from the scenario: cabling alone cannot
// separate groups of one or two switches. nil for other shapes.
func groupsOf(p *network.Plan, sub *subnet.Subnet) map[units.GUID]int32 {
	if p.Graph.Family != topology.FamilyDragonfly {
		return nil
	}
	at := p.NodesByGUID()
	groups := map[units.GUID]int32{}
	for i := range sub.Nodes {
		if n := &sub.Nodes[i]; n.Kind == subnet.Switch {
			groups[n.GUID] = p.Graph.Nodes[at[n.GUID]].Group
		}
	}
	return groups
}

// keepsLevels names the ports of a credit loop with new tables of the manager, if existing
// connections keep their service levels: they do not request their paths again.
func keepsLevels(p *network.Plan, sub *subnet.Subnet, t *subnet.Tables, plane int) (circle string, err error) {
	if p.Paths == nil && t.Lanes <= 1 {
		return "", nil
	}
	at := p.NodesByGUID()
	endpoint, number := make([]topology.NodeID, sub.TopLID()+1), make([]int, sub.TopLID()+1)
	for i := range sub.Nodes {
		if n := &sub.Nodes[i]; n.Kind != subnet.Switch {
			for k := range 1 << n.Ports[n.Base()].LMC {
				lid := int(n.Ports[n.Base()].LID) + k
				endpoint[lid], number[lid] = at[n.GUID], k
			}
		}
	}
	kept := *t
	kept.SL = func(src, dst units.LID) units.SL {
		return p.LevelOf(plane, endpoint[src], endpoint[dst], number[dst])
	}
	report, err := proof.Check(sub, &kept, proof.Options{})
	if err != nil {
		return "", err
	}
	return circleOf(sub, report), nil
}

// levelMap is a SL2VL table of the manager in the fabric's form. Its last ports are for packets
// without a route, on lane 0.
func levelMap(t *subnet.SLMap) *routing.LevelMap {
	m := routing.NewLevelMap(t.Ports + 1)
	for in := range t.Ports {
		for out := range t.Ports {
			var lanes [routing.Levels]uint8
			for sl := range lanes {
				lanes[sl] = uint8(t.At(uint8(in+1), uint8(out+1), units.SL(sl)))
			}
			m.Set(uint16(in), uint16(out), &lanes)
		}
	}
	return m
}
