package network

import (
	"weft/internal/sim/channel"
	"weft/internal/sim/protocol"
	"weft/internal/sim/transport"
	"weft/internal/sim/transport/cc"
	"weft/scenario"
	"weft/units"
)

// QueuePairs are the parameters of the NICs' queue pairs for queue pairs outside of the simulation.
func (p *Plan) QueuePairs() (channel.QueuePairs, error) {
	t := nic(p.Fabric, p.Node, p.Class).Transport
	q := channel.QueuePairs{
		AckEvery: t.AckEvery, Window: t.Window, PacketWindow: t.MaxOutstandingPackets,
		PacedOverhead: t.PacedOverhead, CNPInterval: t.CNPInterval, MarksAcked: t.Marks == transport.MarksAcked,
		SelectiveRepeat: t.Delivery == transport.Selective,
	}
	control := scenario.ControlOf(&p.Fabric.CC)
	if control == nil {
		q.CNPInterval = units.Forever // marks mean nothing to them
		return q, nil
	}
	var err error
	q.Control, err = channel.NewControl(control, scenario.ControlLink(p.Fabric), scenario.ValuesOf(&p.Fabric.CC))
	return q, err
}

// Wants is the telemetry that the congestion control of queue pairs needs.
func (p *Plan) Wants() cc.Wants {
	alg := p.control()
	if alg == nil {
		return 0
	}
	allowed := cc.Free()
	return alg.Start(0, &allowed)
}

// InfiniBand reports whether the plan's links are InfiniBand's.
func (p *Plan) InfiniBand() bool { return !protocol.Of(p.Fabric.Kind).Ethernet() }
