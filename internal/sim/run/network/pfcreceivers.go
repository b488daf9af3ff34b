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
		for _, nic := range x.Members(p.Cluster) {
			b.Receive(int32(nic), r)
		}
	}
	p.addSlots(b)
}

// addSlots joins the NICs of each GPU in its slot, if that is slower than they are together. NICs and GPUs of a
// node are assigned to each other in order, as collective.Layout does.
func (p *Plan) addSlots(b *fabric.Builder) {
	rate := p.Node.SharedSlot(p.Fabric)
	if rate == 0 {
		return
	}
	gpu := func(nic int) int { return nic/p.Node.NICs*p.Node.GPUs + nic%p.Node.NICs*p.Node.GPUs/p.Node.NICs }
	for first, next := 0, 1; first < p.Graph.Endpoints; first, next = next, next+1 {
		for next < p.Graph.Endpoints && gpu(next) == gpu(first) {
			next++
		}
		b.ShareSlot(int32(first), int32(next), rate.PerByte())
	}
}

// receiver is the receiving side of each NIC; nil if a NIC takes everything at once. On a
// credit-based fabric the credits bound its buffer.
func (p *Plan) receiver() *fabric.Receiver {
	nic := &p.Fabric.NIC
	if nic.ReceiveRate == 0 && nic.Contexts == 0 && p.Node.SharedSlot(p.Fabric) == 0 {
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
