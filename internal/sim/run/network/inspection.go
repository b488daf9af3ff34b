package network

import (
	"fmt"

	"weft/internal/base/topology"
	"weft/internal/sim/fabric"
	"weft/internal/sim/protocol"
	"weft/internal/sim/scenario"
	"weft/units"
)

// cable adds a cable of the graph; where there is inspection, that of a NIC has a
// box in the middle, and on each side half of its length and a link with error
// correction of its own.
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
	box := p.box(b, a, f.Inspection)
	near := c.Length / 2
	b.Cable(int32(a.Node), a.Port, box, 0, rate, Propagation(&f.Link, near))
	b.Cable(box, 1, int32(z.Node), z.Port, rate, Propagation(&f.Link, c.Length-near))
}

// box adds the box in front of a port of a NIC. Its buffers and flow control are
// those of the fabric's switches; on InfiniBand it has room besides for what its
// latency holds, since it gives credits back when a packet is in its memory.
func (p *Plan) box(b *fabric.Builder, at topology.End, s scenario.Inspection) int32 {
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
		inside := int32(int64(s.Latency) * rate.Den / rate.Num / fabric.CreditBlock)
		for i := range sw.Credits.Blocks {
			sw.Credits.Blocks[i] += inside
		}
		if p.Lanes != nil {
			sw.VLArb = equalLanes(p.Lanes.Count)
		}
		return b.InfiniBandBox(name, nic, inspects, sw)
	}
	sw := EthernetSwitch(f, p.Class, 2)
	sw.Pipeline = s.Latency
	return b.EthernetBox(name, nic, inspects, sw)
}
