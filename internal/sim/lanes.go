package sim

import (
	"fmt"

	"weft/internal/fabric"
	"weft/internal/routing"
	"weft/internal/topology"
	"weft/scenario"
)

// setLanes gives an InfiniBand fabric whose shape has rings the rule by which
// packets change virtual lanes, so that credits never wait for each other in a
// circle. It refuses a fabric that the rule cannot keep from that.
func (p *plan) setLanes() error {
	f := p.fabric
	rule := routing.LanesFor(p.graph)
	if f.Kind != scenario.InfiniBandKind || rule.Count == 1 {
		return nil
	}
	switch {
	case p.graph.Family == topology.FamilyTorus && f.Routing.Mode != scenario.Deterministic:
		return fmt.Errorf("fabric %s: a torus with %s routing can deadlock, as it has no lane to escape to: take routing.mode deterministic", f.Name, f.Routing.Mode)
	case f.IB.VLs < rule.Count:
		return fmt.Errorf("fabric %s: a %s needs %d virtual lanes against credit loops, ib.vls is %d", f.Name, f.Topology.Shape, rule.Count, f.IB.VLs)
	case len(p.class.used) > 1:
		return fmt.Errorf("fabric %s: on a %s data and acknowledgements must be on one virtual lane: ib.sl and ib.ack-sl are mapped to different ones", f.Name, f.Topology.Shape)
	}
	p.lanes = rule
	return nil
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
