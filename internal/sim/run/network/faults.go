package network

import (
	"weft/internal/sim/fabric"
	"weft/internal/sim/fabric/fault"
	"weft/results"
	"weft/units"
)

// Faults is the effect of a scenario's faults on a fabric: cables that fail, and the entries that
// its control plane then writes into switches, with their times. It is computed before the packets
// run, because the control plane does not depend on them.
type Faults struct {
	Outages []Span // in order of cable, then time
	Turns   []Turn // in order of time
	Changes []fault.TableChange
	Lanes   []fault.LaneChange
	Control results.Control
}

// Span is a cable's time without service.
type Span struct {
	Cable       int32
	From, Until units.Time
}

// Turn is a moment at which cables fail or work again.
type Turn struct {
	At       units.Time
	What     string
	Repaired bool
	Cables   []int32
	Down     []bool // by cable, from that time on
	Manager  bool   // the Subnet Manager ends
}

// Broken is the faults in the form for a network; nil without faults.
func (p *Plan) Broken() *fault.Plan {
	if p.Faults == nil {
		return nil
	}
	f := &fault.Plan{Changes: p.Faults.Changes, Lanes: p.Faults.Lanes}
	for _, s := range p.Faults.Outages {
		end := p.Graph.Cables[s.Cable].A
		f.Outages = append(f.Outages, fault.Outage{Node: int32(end.Node), Port: end.Port, From: s.From, Until: s.Until})
	}
	return f
}

// Unbroken is the plan without faults, on the same network. It records no series.
func (p *Plan) Unbroken() *Plan {
	q := *p
	q.Faults, q.Series = &Faults{}, nil
	return &q
}

// Suffered is the effect of faults on a run; nil without faults.
func (p *Plan) Suffered(n *fabric.Network) *results.FaultPoint {
	if p.Faults == nil {
		return nil
	}
	return &results.FaultPoint{LastLoss: n.Stats().LastFault}
}
