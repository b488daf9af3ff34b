package fabric

import (
	"weft/internal/sim/transport"
	"weft/internal/sim/transport/cc"
	"weft/units"
)

// seen is the telemetry of a packet. Packets whose queue pair does not request telemetry have none:
// the pool allocates no records for it, and a hop costs one comparison.
type seen struct {
	Sent  units.Time
	hops  int32
	wants cc.Wants // the requested telemetry, also in an acknowledgement
	path  cc.Path
}

// show is the telemetry as transports take it.
func (s *seen) show(wants cc.Wants) cc.Seen {
	out := cc.Seen{Sent: s.Sent, Hops: int(s.hops)}
	if wants&cc.WantPath != 0 {
		out.Path = &s.path
	}
	return out
}

// reports says that a packet with telemetry gathers it; an answer takes it back.
func (k *pkt) reports() bool { return k.role == roleData || k.role == roleForeign }

// setOut begins the telemetry of a packet whose flow requests it.
func (f *flow) setOut(p *Partition, i int32) {
	p.pool.hot[i].wants = f.wants
	s := p.pool.report(i)
	s.Sent, s.hops, s.wants, s.path.N = 0, 0, f.wants, 0
	f.spray(p, i)
}

// spray makes a packet of unordered delivery, and its answers, use the path of its entropy value.
func (f *flow) spray(p *Partition, i int32) {
	if f.wants&cc.WantEntropy != 0 {
		p.pool.hot[i].entropy = f.entropy + uint32(p.pool.cold[i].EV)*0x9e3779b9
	}
}

// gather records a switch on a packet's path: it counts the switch, and adds the state of the
// output port, its queue and its sent bytes.
func (o *port) gather(p *Partition, i int32, k *pkt) {
	s := p.pool.report(i)
	s.hops++
	if k.wants&cc.WantPath != 0 {
		s.path.Add(cc.Hop{At: p.now, Sent: units.Bytes(o.bytes), Queue: units.Bytes(o.queued), Rate: o.rate()})
	}
}

// rate is the rate of the port's link, rounded down.
func (o *port) rate() units.Rate {
	return units.Rate(8 * int64(units.Second) * int64(o.den) / int64(o.num))
}

// handOver passes a packet's telemetry to the transport before the packet.
func (p *Partition) handOver(i int32, k *pkt) {
	p.seen = *p.pool.report(i)
	p.shown = p.seen.show(k.wants)
	p.batch.Seen = &p.shown
	if k.mark&trimmed != 0 {
		p.pool.cold[i].Flags |= transport.FlagTrimmed
		if k.mark&lastHop != 0 {
			p.pool.cold[i].Flags |= transport.FlagLastHop
		}
	}
}

// takeBack copies the packet's telemetry into its acknowledgement i.
func (f *flow) takeBack(p *Partition, i int32) {
	p.pool.hot[i].wants = p.seen.wants
	f.spray(p, i)
	*p.pool.report(i) = p.seen
}
