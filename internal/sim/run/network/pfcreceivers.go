package network

import (
	"weft/internal/sim/fabric"
	"weft/units"
)

// addReceivers makes the scenario's NICs slow, or makes them fail.
func (p *Plan) addReceivers(b *fabric.Builder) {
	for _, x := range p.Fabric.Ethernet.PFC.Receivers {
		r := &fabric.Receiver{
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
