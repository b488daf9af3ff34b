package network

import (
	"fmt"

	"weft/internal/base/topology"
	"weft/internal/ib/subnet"
	"weft/internal/sim/fabric"
	"weft/internal/sim/fabric/arbitration"
	"weft/internal/sim/protocol"
	"weft/internal/sim/routing"
	"weft/scenario"
	"weft/units"
)

// setLanes gives an InfiniBand fabric whose shape has rings, and whose packets choose among ports,
// the rule for changes of virtual lanes that prevents credit loops. If every path follows a table,
// the Subnet Manager's engine assigns the lanes. It refuses a fabric for which the rule does not
// prevent loops.
func (p *Plan) setLanes() error {
	f := p.Fabric
	rule := routing.LanesFor(p.Graph)
	if protocol.Of(f.Kind).Ethernet() || rule.Count == 1 || f.Routing.Mode == scenario.Deterministic {
		return nil
	}
	switch {
	case p.Graph.Family == topology.FamilyTorus:
		return fmt.Errorf("a torus with %s routing can deadlock, as it has no lane to escape to: take routing.mode deterministic", f.Routing.Mode)
	case f.IB.Engine != scenario.AutoEngine:
		return fmt.Errorf("ib.engine %s gives each path its lane, and with %s routing packets on a %s leave their paths: take routing.mode deterministic, or ib.engine auto",
			f.IB.Engine, f.Routing.Mode, f.Topology.Shape)
	case f.IB.VLs < rule.Count:
		return fmt.Errorf("a %s needs %d virtual lanes against credit loops, ib.vls is %d", f.Topology.Shape, rule.Count, f.IB.VLs)
	case len(p.Class.Used) > 1:
		return fmt.Errorf("on a %s data and acknowledgements must be on one virtual lane: ib.sl and ib.ack-sl are mapped to different ones", f.Topology.Shape)
	}
	p.Lanes = rule
	return nil
}

// PathLevels are the service levels of the paths of a plane, as in path records.
type PathLevels struct {
	Of  subnet.PathSL
	LID []units.LID // by endpoint, in the plane; the first of several
	// AtNIC are the SL2VL tables of NICs, by endpoint; where it is nil a level's lane is the level modulo the number of
	// lanes, as weft's manager writes it.
	AtNIC []*[16]units.VL
}

// ByPath gives the ends of a connection the service levels of the paths to each other, and the
// lanes of these levels at a host. Each end sends all its packets on its own path's level, acknowledgements too.
func (p *Plan) ByPath(a, b int32, atA, atB *fabric.Connection) {
	if p.Paths == nil {
		return
	}
	levels := &p.Paths[p.planeOf(a, atA.Port)]
	for _, end := range []struct {
		from, to int32
		c        *fabric.Connection
	}{{a, b, atA}, {b, a, atB}} {
		end.c.SL = levels.Of(levels.LID[end.from], levels.LID[end.to]+units.LID(p.lidOf(end.c.Entropy)))
		lane := uint8(end.c.SL) % uint8(p.Lanes.Count)
		if int(end.from) < len(levels.AtNIC) && levels.AtNIC[end.from] != nil {
			lane = uint8(levels.AtNIC[end.from][end.c.SL])
		}
		end.c.Class, end.c.Reply, end.c.CNP = lane, lane, lane
	}
}

// planeOf is the plane of a NIC's port.
func (p *Plan) planeOf(nic, port int32) int {
	far, _, ok := p.Graph.Peer(topology.End{Node: topology.NodeID(nic), Port: port})
	if !ok || p.Graph.Planes <= 1 {
		return 0
	}
	return int(p.Graph.Nodes[far.Node].Plane)
}

// LevelOf is the service level of packets from one end to the k-th LID of another, from 0: the path's, or, if paths have
// none, the scenario's for data.
func (p *Plan) LevelOf(plane int, src, dst topology.NodeID, k int) units.SL {
	if p.Paths == nil {
		return units.SL(p.Fabric.IB.SL)
	}
	levels := &p.Paths[plane]
	return levels.Of(levels.LID[src], levels.LID[dst]+units.LID(k))
}

// laneWeight is the arbitration weight of each lane of the rule: they take turns packet by packet.
const laneWeight = 64

// equalLanes is the arbitration among the lanes of the rule.
func equalLanes(count int) (a arbitration.VLArb) {
	for lane := range count {
		a.Low = append(a.Low, arbitration.VLWeight{VL: uint8(lane), Weight: laneWeight})
	}
	return a
}
