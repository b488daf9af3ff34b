package sim

import (
	"fmt"

	"weft/internal/routing"
	routes "weft/internal/routing/engine"
	"weft/internal/routing/proof"
	"weft/internal/subnet"
	"weft/internal/topology"
	"weft/scenario"
	"weft/units"
)

// takeLanes lets the packets of a plane have the service levels and lanes of their
// paths, where tables need lanes to be free of deadlock. asked is what the scenario
// said, for errors.
func (p *plan) takeLanes(sub *subnet.Subnet, t *subnet.Tables, nodes []topology.NodeID, asked string) error {
	if t.Lanes <= 1 {
		return nil
	}
	f := p.fabric
	switch {
	case f.Routing.Mode != scenario.Deterministic:
		return fmt.Errorf("%s needs %d virtual lanes, path by path, and with %s routing packets leave their paths: take routing.mode deterministic", asked, t.Lanes, f.Routing.Mode)
	case p.ownLevels:
		return fmt.Errorf("%s needs the service levels for itself, path by path: the scenario gives levels of its own (ib.ack-sl, ib.service-levels, workload.flows[].sl, beside[].class)", asked)
	}
	levels := pathLevels{of: t.SL, lid: make([]units.LID, p.graph.Endpoints)}
	for i := range sub.Nodes {
		if n := &sub.Nodes[i]; n.Kind != subnet.Switch {
			levels.lid[nodes[i]] = n.Ports[n.Base()].LID
		}
	}
	p.paths = append(p.paths, levels)
	p.addMaps(t, nodes)
	return nil
}

// addMaps adds the SL2VL tables of a plane's switches to the rule of the fabric.
// Without such tables a level's lane is its number.
func (p *plan) addMaps(t *subnet.Tables, nodes []topology.NodeID) {
	if p.maps == nil {
		p.maps = make([]*routing.LevelMap, p.graph.Switches())
	}
	count := t.Lanes
	if p.lanes != nil {
		count = max(count, p.lanes.Count)
	}
	for i := range t.SL2VL {
		p.maps[int(nodes[t.Switch[i]])-p.graph.Endpoints] = levelMap(&t.SL2VL[i])
	}
	p.lanes = routing.LanesByLevel(count, p.maps)
}

// torusConf is what torus-2QoS.conf would say of the fabric; nil where the shape is none
// that torus-2QoS routes.
func (p *plan) torusConf() *routes.TorusConf {
	g := p.graph
	if g.Family != topology.FamilyTorus || len(g.Dims) > 3 {
		return nil
	}
	guid := make([]units.GUID, len(g.Nodes))
	for id, node := range p.nodesByGUID() {
		guid[node] = id
	}
	open := make([]bool, len(g.Dims))
	for dim := range open {
		open[dim] = !g.Ring
	}
	return routes.NewTorusConf(g.Dims, open, guid[g.Endpoints:g.Endpoints+g.Switches()])
}

// groupsOf are the groups of a dragonfly's switches, as the scenario has them: what is
// cabled to what does not tell groups of one or two switches apart. nil for other shapes.
func (p *plan) groupsOf(sub *subnet.Subnet) map[units.GUID]int32 {
	if p.graph.Family != topology.FamilyDragonfly {
		return nil
	}
	at := p.nodesByGUID()
	groups := map[units.GUID]int32{}
	for i := range sub.Nodes {
		if n := &sub.Nodes[i]; n.Kind == subnet.Switch {
			groups[n.GUID] = p.graph.Nodes[at[n.GUID]].Group
		}
	}
	return groups
}

// keepsLevels names the ports that can wait for each other with new tables of the
// manager, where the connections that are there keep the service levels that they
// have: nobody asks for their paths again.
func (p *plan) keepsLevels(sub *subnet.Subnet, t *subnet.Tables, plane int) (circle string, err error) {
	if p.paths == nil && t.Lanes <= 1 {
		return "", nil
	}
	at := p.nodesByGUID()
	endpoint := make([]topology.NodeID, sub.TopLID()+1)
	for i := range sub.Nodes {
		if n := &sub.Nodes[i]; n.Kind != subnet.Switch {
			endpoint[n.Ports[n.Base()].LID] = at[n.GUID]
		}
	}
	kept := *t
	kept.SL = func(src, dst units.LID) units.SL {
		return p.levelOf(plane, endpoint[src], endpoint[dst])
	}
	report, err := proof.Check(sub, &kept, proof.Options{})
	if err != nil {
		return "", err
	}
	return circleOf(sub, report), nil
}

// levelMap is a SL2VL table of the manager as the fabric has it. Its last ports are
// those that packets without a way go to, on lane 0.
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
