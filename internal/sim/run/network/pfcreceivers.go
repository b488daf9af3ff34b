package network

import (
	"math"

	"weft/internal/sim/fabric"
	"weft/internal/sim/protocol"
	"weft/units"
)

// addReceivers makes all NICs receive at the rate of their hosts, if the scenario says so, and the
// scenario's slow NICs slow, or makes them fail.
func (p *Plan) addReceivers(b *fabric.Builder) {
	if all := p.receiver(); all != nil {
		for nic := range p.Graph.Endpoints {
			b.Receive(int32(nic), all)
		}
	}
	for _, x := range p.Fabric.Ethernet.PFC.Receivers {
		r := &fabric.Receiver{
			Failed: x.Drain == 0,
			Buffer: int64(x.Buffer), Xoff: int64(x.Buffer - x.Headroom), Xon: int64(x.Buffer-x.Headroom) / 2, From: x.Start, Until: units.Forever,
		}
		if x.Drain > 0 {
			r.PerByte = x.Drain.PerByte()
		}
		if x.Duration > 0 && x.Duration < units.Forever-x.Start {
			r.Until = x.Start + x.Duration
		}
		b.Receive(int32(x.NIC), r)
	}
}

// receiver is the receiving side of each NIC; nil if a NIC takes everything at once. On a
// credit-based fabric the credits bound its buffer.
func (p *Plan) receiver() *fabric.Receiver {
	nic := &p.Fabric.NIC
	if nic.ReceiveRate == 0 && nic.Contexts == 0 {
		return nil
	}
	r := &fabric.Receiver{Buffer: math.MaxInt64, Xoff: math.MaxInt64, Until: units.Forever}
	if protocol.Of(p.Fabric.Kind).Ethernet() {
		r.Buffer = int64(nic.ReceiveBuffer)
		r.Xoff, r.Xon = r.Buffer/2, r.Buffer/4
	}
	if nic.ReceiveRate > 0 {
		r.PerByte = min(nic.ReceiveRate, p.Node.PCIe.PeerRate, p.Node.PCIe.Rate()).PerByte()
	}
	return r
}
