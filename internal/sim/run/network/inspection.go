package network

import (
	"fmt"

	"weft/internal/base/topology"
	"weft/internal/sim/fabric"
	"weft/internal/sim/fabric/credit"
	"weft/internal/sim/protocol"
	"weft/scenario"
	"weft/units"
)

// cable adds a cable of the graph. With inspection, a NIC's cable has a middlebox in the middle;
// each side has half of its length and its own link with error correction.
func (p *Plan) cable(b *fabric.Builder, c *topology.Cable, rate units.PerByte) {
	f := p.Fabric
	a, z := c.A, c.B
	if int(z.Node) < p.Graph.Endpoints {
		a, z = z, a
	}
	if !f.Inspection.On() || int(a.Node) >= p.Graph.Endpoints {
		b.Cable(int32(c.A.Node), c.A.Port, int32(c.B.Node), c.B.Port, rate, Propagation(&f.Link, c.Length))
		return
	}
	box := p.middlebox(b, a, f.Inspection)
	near := c.Length / 2
	b.Cable(int32(a.Node), a.Port, box, 0, rate, Propagation(&f.Link, near))
	b.Cable(box, 1, int32(z.Node), z.Port, rate, Propagation(&f.Link, c.Length-near))
}

// middlebox adds the middlebox in front of a port of a NIC. Its buffers and flow control are the fabric's
// switches'. On InfiniBand it has additional buffer for the packets in its latency, since it
// returns credits when a packet is in its memory.
func (p *Plan) middlebox(b *fabric.Builder, at topology.End, s scenario.Inspection) int32 {
	f := p.Fabric
	name := fmt.Sprintf("%s/inspection", p.Graph.Nodes[at.Node].Name)
	if len(p.Graph.Nodes[at.Node].Cables) > 1 {
		name += fmt.Sprint(at.Port)
	}
	nic, inspects := int32(at.Node), s.Rate.PerByte()
	if !protocol.Of(f.Kind).Ethernet() {
		sw := infiniBandSwitch(f, p.Class)
		sw.Pipeline = s.Latency
		rate := PerByte(&f.Link)
		inside := int32(int64(s.Latency) * rate.Den / rate.Num / credit.Block)
		for i := range sw.Credits.Blocks {
			sw.Credits.Blocks[i] += inside
		}
		if p.Lanes != nil {
			sw.VLArb = equalLanes(p.Lanes.Count)
		}
		return b.InfiniBandMiddlebox(name, nic, inspects, sw)
	}
	sw := EthernetSwitch(f, p.Class, 2)
	sw.Pipeline = s.Latency
	return b.EthernetMiddlebox(name, nic, inspects, sw)
}
