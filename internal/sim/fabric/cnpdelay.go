package fabric

import (
	"math/rand/v2"

	"weft/internal/sim/engine"
	"weft/internal/sim/transport"
	"weft/units"
	"weft/wire"
)

// The streams of the processing of CNPs, separate from the seed's other streams.
const (
	streamGenerating = 11
	streamReacting   = 12
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
	generating, reacting delayLine
	made                 []transport.Packet // CNPs that are not sent yet
	arrived              list               // CNPs without effect yet
}

// delayLine puts events off by times that it draws, in order.
type delayLine struct {
	draw   Jitter
	random *rand.Rand
	last   units.Time
}

func (b *Builder) newCNPDelays(s *NIC, node int32) *cnpDelays {
	if s.Transport == nil || s.Generating == nil && s.Reacting == nil {
		return nil
	}
	line := func(draw Jitter, stream uint32) delayLine {
		pcg := engine.Stream(b.Seed, stream, uint32(node))
		return delayLine{draw: draw, random: rand.New(&pcg)}
	}
	return &cnpDelays{
		generating: line(s.Generating, streamGenerating), reacting: line(s.Reacting, streamReacting), arrived: emptyList,
	}
}

// begin requests the event at which something that begins now is done. It returns false if the
// line takes no time.
func (d *delayLine) begin(p *Partition, source uint64) bool {
	if d.draw == nil {
		return false
	}
	d.last = max(p.now+d.draw(d.random), d.last, p.now) + 1
	p.queue.Push(d.last, classReceive, source)
	return true
}

// generates puts off a CNP; false if it goes at once.
func (c *cnpDelays) generates(p *Partition, f *flow, answer *transport.Packet) bool {
	if !c.generating.begin(p, sourceGenerating|uint64(p.net.ports[f.port].node)) {
		return false
	}
	c.made = append(c.made, *answer)
	return true
}

// takes keeps an arrived CNP; false if packet i is none, or has its effect at once.
func (c *cnpDelays) takes(p *Partition, node, i int32) bool {
	if p.pool.cold[i].Op != wire.CNP || !c.reacting.begin(p, sourceReacting|uint64(node)) {
		return false
	}
	p.pool.push(&c.arrived, i)
	return true
}

// processed handles an event of class classReceive.
func (nic *nicState) processed(p *Partition, source uint64) {
	node := int32(source & (1<<sourceShift - 1))
	switch source &^ (1<<sourceShift - 1) {
	case sourceGenerating:
		answer := nic.cnps.made[0]
		nic.cnps.made = append(nic.cnps.made[:0], nic.cnps.made[1:]...)
		f := nic.flows.at(answer.SrcQP)
		i := p.pool.get(&p.net.nicQueues[int(f.port)*p.net.classes+int(f.reply)].answers)
		p.pool.cold[i] = answer
		f.queueReply(p, i, nic.spec.wireBytes(answer.Op, answer.Length), f.cnp)
	case sourceReacting:
		i := p.pool.pop(&nic.cnps.arrived)
		nic.deliver(p, node, p.pool.hot[i].in, i)
	default:
		nic.taken(p, node)
	}
}
