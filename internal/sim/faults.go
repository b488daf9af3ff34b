package sim

import (
	"weft/internal/fabric"
	"weft/internal/runstore"
	"weft/units"
)

// faultPlan is what the faults of a scenario do to a fabric: cables that fail, and
// what its control plane then writes into which switch at what time. It is worked
// out before the packets run, since the control plane does not depend on them.
type faultPlan struct {
	outages []span // in order of cable, then time
	turns   []turn // in order of time
	changes []fabric.TableChange
	lanes   []fabric.LaneChange
	control runstore.Control
}

// span is a cable's time without service.
type span struct {
	cable       int32
	from, until units.Time
}

// turn is a moment at which cables fail or work again.
type turn struct {
	at       units.Time
	what     string
	repaired bool
	cables   []int32
	down     []bool // by cable, from then on
	manager  bool   // the Subnet Manager ends
}

// broken is the plan as a network takes it; nil where nothing breaks.
func (p *plan) broken() *fabric.Faults {
	if p.faults == nil {
		return nil
	}
	f := &fabric.Faults{Changes: p.faults.changes, Lanes: p.faults.lanes}
	for _, s := range p.faults.outages {
		end := p.graph.Cables[s.cable].A
		f.Outages = append(f.Outages, fabric.Outage{Node: int32(end.Node), Port: end.Port, From: s.from, Until: s.until})
	}
	return f
}

// unbroken is the plan without faults, on the same network.
func (p *plan) unbroken() *plan {
	q := *p
	q.faults = &faultPlan{}
	return &q
}

// suffered is what faults did to a run; nil where nothing was to break.
func (p *plan) suffered(n *fabric.Network) *runstore.FaultPoint {
	if p.faults == nil {
		return nil
	}
	return &runstore.FaultPoint{LastLoss: n.Stats().LastFault}
}
