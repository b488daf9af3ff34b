package network

import (
	"weft/internal/sim/channel"
	"weft/internal/sim/protocol"
	"weft/internal/sim/scenario"
	"weft/internal/sim/transport"
	"weft/internal/sim/transport/cc"
	"weft/units"
)

// QueuePairs are the parameters of the NICs' queue pairs for queue pairs outside of the simulation.
func (p *Plan) QueuePairs() channel.QueuePairs {
	t := nic(p.Fabric, p.Node, p.Class).Transport
	q := channel.QueuePairs{
		AckEvery: t.AckEvery, Window: t.Window, PacketWindow: t.MaxOutstandingPackets,
		PacedOverhead: t.PacedOverhead, CNPInterval: t.CNPInterval,
		SelectiveRepeat: t.Delivery == transport.Selective,
	}
	if control := scenario.ControlOf(&p.Fabric.CC); control != nil && control.Name == string(scenario.DCQCN) {
		params := cc.DCQCNOf(scenario.ControlLink(p.Fabric), scenario.ValuesOf(&p.Fabric.CC))
		q.DCQCN = &params
	} else {
		q.CNPInterval = units.Forever // marks mean nothing to them
	}
	return q
}

// InfiniBand reports whether the plan's links are InfiniBand's.
func (p *Plan) InfiniBand() bool { return !protocol.Of(p.Fabric.Kind).Ethernet() }
