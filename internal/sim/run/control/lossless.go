package control

import (
	"fmt"
	"slices"

	"weft/internal/roce"
	"weft/internal/sim/protocol"
	"weft/internal/sim/routing"
	"weft/internal/sim/run/network"
	"weft/scenario"
	"weft/units"
	"weft/wire"
)

// Lossless is the static analysis of a fabric's PFC, and its JSON.
type Lossless struct {
	Fabric string `json:"fabric"`
	// Unpaused is the reason why there is no analysis: the fabric has no PFC.
	Unpaused string `json:"unpaused,omitempty"`
	// Circle is the ports of a cyclic buffer dependency, in the order in which each waits for the
	// next and the last for the first; empty is a proof that there is none.
	Circle   []string       `json:"circle,omitempty"`
	Findings []roce.Finding `json:"findings,omitempty"`
	Values   *Thresholds    `json:"values,omitempty"` // nil if there is no analysis
	// Free is true if packets may take any minimal port, not only one.
	Free bool `json:"-"`
}

// Refuted reports whether the analysis found a circle or a wrong threshold.
func (l *Lossless) Refuted() bool {
	return len(l.Circle) > 0 || slices.ContainsFunc(l.Findings, func(f roce.Finding) bool { return f.Wrong })
}

// LosslessOf analyses every fabric of a scenario. It builds graphs and tables and runs nothing.
func LosslessOf(r *scenario.Resolved) ([]Lossless, error) {
	all := []Lossless{}
	for i := range r.Fabrics {
		f := &r.Fabrics[i]
		l := Lossless{Fabric: f.Name}
		switch p := protocol.Of(f.Kind); {
		case !p.Ethernet():
			l.Unpaused = p.Title + " waits for credits, not for PFC: its tables are proved before each run"
		case !f.Ethernet.PFC.Enabled:
			l.Unpaused = "PFC is off: no sender waits, and packets that do not fit are dropped"
		}
		if l.Unpaused == "" {
			p, err := NewPlan(r, f)
			if err != nil {
				return nil, err
			}
			lossless(p, &l)
		}
		all = append(all, l)
	}
	return all, nil
}

// lossless fills in the analysis of a fabric with PFC.
func lossless(p *network.Plan, l *Lossless) {
	f := p.Fabric
	l.Free = switchChooses(f.Routing.Mode)
	for _, end := range routing.CreditLoop(p.Graph, p.Tables, nil, l.Free) {
		to, _, _ := p.Graph.Peer(end)
		l.Circle = append(l.Circle, fmt.Sprintf("%s %s to %s", p.Graph.Nodes[end.Node].Name, p.Graph.Nodes[end.Node].PortText(end.Port), p.Graph.Nodes[to.Node].Name))
	}
	ports, longest := 0, units.Length(0)
	for i := p.Graph.Endpoints; i < len(p.Graph.Nodes); i++ {
		ports = max(ports, p.Graph.Nodes[i].Cabled())
	}
	for i := range p.Graph.Cables {
		longest = max(longest, p.Graph.Cables[i].Length)
	}
	pfc := &f.Ethernet.PFC
	buffer := roce.Buffer{
		Shared: units.Bytes(network.EthernetSwitch(f, p.Class, ports).Shared), Reserve: pfc.Reserve, Xoff: pfc.XOFF,
		AlphaNum: pfc.Alpha.Num, AlphaDen: pfc.Alpha.Den,
	}
	loop := roce.Loop{
		PerByte: network.PerByte(&f.Link), Propagation: network.Propagation(&f.Link, longest), Pipeline: f.Switch.Latency, Response: pfc.Response,
		Packet: units.Bytes(protocol.Of(f.Kind).Bytes(wire.RCWriteMiddle, int(f.MTU), scenario.Framing(f)) + f.Headers), Frame: wire.PFCBytes, StoreAndForward: f.Switch.Forwarding == scenario.StoreAndForward,
	}
	l.compare(f, &buffer, ports, &loop, longest)
}

// switchChooses reports whether a switch chooses among minimal ports, by hash or
// by load.
func switchChooses(m scenario.RoutingMode) bool {
	return m != scenario.Deterministic && m != scenario.UpDown
}
