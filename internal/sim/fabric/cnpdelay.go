package fabric

import (
	"weft/internal/sim/fabric/impair"
	"weft/internal/sim/transport"
	"weft/wire"
)

// The sources of a NIC's events of class classReceive, above its node's number.
const (
	sourceShift             = 32
	sourceGenerating uint64 = 1 << sourceShift
	sourceReacting   uint64 = 2 << sourceShift
)

// cnpDelays is the processing of CNPs in a NIC: at the notification point from a marked packet to
// its CNP, at the reaction point from a CNP's arrival to its effect. CNPs stay in order.
type cnpDelays struct {
	generating, reacting impair.DelayLine
	made                 []transport.Packet // CNPs that are not sent yet
	arrived              list               // CNPs without effect yet
}

// newCNPDelays is the processing of CNPs of a NIC; nil if it takes no time.
func (b *Builder) newCNPDelays(s *NIC, node int32) *cnpDelays {
	if s.Transport == nil || s.Generating == nil && s.Reacting == nil {
		return nil
	}
	return &cnpDelays{
		generating: impair.NewDelayLine(s.Generating, b.Seed, impair.StreamGenerating, node),
		reacting:   impair.NewDelayLine(s.Reacting, b.Seed, impair.StreamReacting, node),
		arrived:    emptyList,
	}
}

// holdMade puts off a CNP that a flow makes; false if it goes at once.
func (c *cnpDelays) holdMade(p *Partition, f *flow, answer *transport.Packet) bool {
	if c.generating.IsInstant() {
		return false
	}
	p.push(p.net.cell(f.port), c.generating.Done(p.now), classReceive, sourceGenerating|uint64(p.net.ports[f.port].node))
	c.made = append(c.made, *answer)
	return true
}

// holdArrived puts off an arrived CNP; false if packet i is none, or has its effect at once.
func (c *cnpDelays) holdArrived(p *Partition, node, i int32) bool {
	if p.pool.cold[i].Op != wire.CNP || c.reacting.IsInstant() {
		return false
	}
	p.push(p.net.nodes[node].cell, c.reacting.Done(p.now), classReceive, sourceReacting|uint64(node))
	p.pool.push(&c.arrived, i)
	return true
}

// handleReceive handles an event of class classReceive.
func (nic *nicState) handleReceive(p *Partition, source uint64) {
	node := int32(source & (1<<sourceShift - 1))
	switch source &^ (1<<sourceShift - 1) {
	case sourceGenerating:
		answer := nic.cnps.made[0]
		nic.cnps.made = append(nic.cnps.made[:0], nic.cnps.made[1:]...)
		f := nic.flows.flow(answer.SrcQP)
		i := p.pool.get(&p.net.nicQueues[int(f.port)*p.net.classes+int(f.reply)].answers)
		p.pool.cold[i] = answer
		f.queueReply(p, i, nic.spec.wireBytes(answer.Op, answer.Length), f.cnp)
	case sourceReacting:
		i := p.pool.pop(&nic.cnps.arrived)
		nic.deliver(p, node, p.pool.hot[i].in, i)
	default:
		nic.finishReceiving(p, node)
	}
}
