package sim

import (
	"fmt"

	"weft/internal/fabric"
	"weft/internal/routing"
	routes "weft/internal/routing/engine"
	"weft/internal/routing/proof"
	"weft/internal/subnet"
	"weft/internal/topology"
	"weft/scenario"
	"weft/units"
)

// setLanes gives an InfiniBand fabric whose shape has rings, and whose packets
// choose among ports, the rule by which they change virtual lanes, so that credits
// never wait for each other in a circle. Where every path is that of a table the
// Subnet Manager's engine gives the lanes. It refuses a fabric that the rule cannot
// keep from that.
func (p *plan) setLanes() error {
	f := p.fabric
	rule := routing.LanesFor(p.graph)
	if f.Kind != scenario.InfiniBandKind || rule.Count == 1 || f.Routing.Mode == scenario.Deterministic {
		return nil
	}
	switch {
	case p.graph.Family == topology.FamilyTorus:
		return fmt.Errorf("fabric %s: a torus with %s routing can deadlock, as it has no lane to escape to: take routing.mode deterministic", f.Name, f.Routing.Mode)
	case f.IB.Engine != scenario.AutoEngine:
		return fmt.Errorf("fabric %s: ib.engine %s gives each path its lane, and with %s routing packets on a %s leave their paths: take routing.mode deterministic, or ib.engine auto",
			f.Name, f.IB.Engine, f.Routing.Mode, f.Topology.Shape)
	case f.IB.VLs < rule.Count:
		return fmt.Errorf("fabric %s: a %s needs %d virtual lanes against credit loops, ib.vls is %d", f.Name, f.Topology.Shape, rule.Count, f.IB.VLs)
	case len(p.class.used) > 1:
		return fmt.Errorf("fabric %s: on a %s data and acknowledgements must be on one virtual lane: ib.sl and ib.ack-sl are mapped to different ones", f.Name, f.Topology.Shape)
	}
	p.lanes = rule
	return nil
}

// pathLevels are the service levels of the paths of a plane, as path records tell
// them.
type pathLevels struct {
	of  subnet.PathSL
	lid []units.LID // by endpoint, as the plane knows it
}

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
	levels := pathLevels{t.SL, make([]units.LID, p.graph.Endpoints)}
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

// byPath gives the ends of a connection the service levels of the paths to each
// other, and the lanes of these at a host: the level modulo their number, as the
// manager writes it. Each end sends all that it sends on its own path's level,
// acknowledgements too.
func (p *plan) byPath(a, b int32, atA, atB *fabric.Connection) {
	if p.paths == nil {
		return
	}
	levels := &p.paths[p.planeOf(a, atA.Port)]
	for _, end := range []struct {
		from, to int32
		c        *fabric.Connection
	}{{a, b, atA}, {b, a, atB}} {
		end.c.SL = levels.of(levels.lid[end.from], levels.lid[end.to])
		lane := uint8(end.c.SL) % uint8(p.lanes.Count)
		end.c.Class, end.c.Reply, end.c.CNP = lane, lane, lane
	}
}

// planeOf is the plane that a NIC's port leads to.
func (p *plan) planeOf(nic, port int32) int {
	far, _, ok := p.graph.Peer(topology.End{Node: topology.NodeID(nic), Port: port})
	if !ok || p.graph.Planes <= 1 {
		return 0
	}
	return int(p.graph.Nodes[far.Node].Plane)
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

// nodesByGUID are the nodes of the graph by the GUIDs that they have as nodes of a
// subnet.
func (p *plan) nodesByGUID() map[units.GUID]topology.NodeID {
	if p.byGUID == nil {
		p.byGUID = map[units.GUID]topology.NodeID{}
		all, err := Subnet(p.fabric, p.graph)
		if err != nil {
			return p.byGUID // the fabric is refused with this error elsewhere
		}
		for i := range all.Nodes {
			p.byGUID[all.Nodes[i].GUID] = topology.NodeID(i)
		}
	}
	return p.byGUID
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

// levelOf is the service level that an end sends on to another: that of the path, or,
// where paths have none, the scenario's for data.
func (p *plan) levelOf(plane int, src, dst topology.NodeID) units.SL {
	if p.paths == nil {
		return units.SL(p.fabric.IB.SL)
	}
	levels := &p.paths[plane]
	return levels.of(levels.lid[src], levels.lid[dst])
}

// laneWeight is the weight of each lane of the rule in arbitration: they take
// turns packet by packet.
const laneWeight = 64

// equalLanes is the arbitration among the lanes of the rule.
func equalLanes(count int) (a fabric.VLArb) {
	for lane := range count {
		a.Low = append(a.Low, fabric.VLWeight{VL: uint8(lane), Weight: laneWeight})
	}
	return a
}
