package fabric

import (
	"weft/internal/sim/transport"
	"weft/internal/sim/transport/cc"
	"weft/units"
)

// seen is what a packet that reports on its way has gathered. Packets whose
// queue pair does not ask have none: the pool makes no room for it, and a hop
// pays for one comparison.
type seen struct {
	Sent units.Time
	hops int32
	told cc.Wants // what was asked for, in an acknowledgement too
	path cc.Path
}

// setOut makes a packet of a flow that asks report on its way.
func (f *flow) setOut(p *Partition, i int32) {
	p.pool.hot[i].told = f.told
	s := p.pool.report(i)
	s.hops, s.told, s.path.N = 0, f.told, 0
	f.spray(p, i)
}

// spray has a packet of unordered delivery, and the answers to it, take the path of
// its entropy value.
func (f *flow) spray(p *Partition, i int32) {
	if f.told&cc.WantEntropy != 0 {
		p.pool.hot[i].entropy = f.entropy + uint32(p.pool.cold[i].EV)*0x9e3779b9
	}
}

// gather notes a switch on a packet's way: the switch counts, and adds the state
// of the port by which the packet leaves, what waits behind it and what went
// before.
func (o *port) gather(p *Partition, i int32, k *pkt) {
	s := p.pool.report(i)
	s.hops++
	if k.told&cc.WantPath != 0 {
		s.path.Add(cc.Hop{At: p.now, Sent: units.Bytes(o.bytes), Queue: units.Bytes(o.queued), Rate: o.rate()})
	}
}

// rate is that of the port's link, rounded down.
func (o *port) rate() units.Rate {
	return units.Rate(8 * int64(units.Second) * int64(o.den) / int64(o.num))
}

// handOver shows the transport what the packet that it is about to take has seen.
func (p *Partition) handOver(i int32, k *pkt) {
	p.seen = *p.pool.report(i)
	p.told = cc.Seen{Sent: p.seen.Sent, Hops: int(p.seen.hops)}
	if k.told&cc.WantPath != 0 {
		p.told.Path = &p.seen.path
	}
	p.batch.Seen = &p.told
	if k.mark&trimmed != 0 {
		p.pool.cold[i].Flags |= transport.FlagTrimmed
		if k.mark&lastHop != 0 {
			p.pool.cold[i].Flags |= transport.FlagLastHop
		}
	}
}

// takeBack sends what the packet has seen back with the acknowledgement i that it
// drew.
func (f *flow) takeBack(p *Partition, i int32) {
	p.pool.hot[i].told = p.seen.told
	f.spray(p, i)
	*p.pool.report(i) = p.seen
}
