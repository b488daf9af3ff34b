package fabric

import (
	"weft/internal/sim/fabric/reduction"
	"weft/internal/sim/transport"
)

// A scale-up switch also replicates stores to all GPUs and reduces loads from all GPUs (NVLink
// SHARP).
//
// A multicast burst stays in the input buffer until its last copy has left. A reduction removes
// each contribution from its input buffer at once and keeps the sum until it is complete; the
// switch's memory for sums is not limited in the model.

// copyRecords are the packets that a simulation partition's switches copy and sum. A state with one of them
// is equal to none.
type copyRecords struct {
	copies reduction.Copies `state:"-"`
	sums   reduction.Sums   `state:"-"`
}

// multicast queues a copy of a burst at every port except its input. A GPU that stands for others gets the
// copies of theirs.
func (s *infinibandState) multicast(p *Partition, b *inbox, link, i int32) {
	n := p.net
	nd := &n.nodes[b.node]
	p.net.hold(p, link, &p.pool.hot[i])
	if like := n.gpus[n.nodes[n.ports[link].node].state].spec.StandsFor; like > 1 {
		c := p.beginCopies(link, i, like-1) // each of the others sends it one
		for range like - 1 {
			s.passOrQueue(p, nd, b, b.back, p.newCopy(&c, b.back, roleCopy))
		}
		return
	}
	copies := int32(0)
	for out := nd.base; out < nd.base+nd.ports; out++ {
		if n.back[out] != link && n.inboxes[out].back >= 0 {
			copies++
		}
	}
	c := p.beginCopies(link, i, copies)
	for out := nd.base; out < nd.base+nd.ports; out++ {
		if n.back[out] != link && n.inboxes[out].back >= 0 {
			s.passOrQueue(p, nd, b, out, p.newCopy(&c, out, roleCopy))
		}
	}
}

// copying is a packet that is being copied; its room in the input buffer is released when the last
// copy has left.
type copying struct {
	hot    pkt
	cold   transport.Packet
	link   int32
	record int32
}

// beginCopies begins a number of copies of a packet.
func (p *Partition) beginCopies(link, i, copies int32) copying {
	c := copying{p.pool.hot[i], p.pool.cold[i], link, p.copies.Begin(copies)}
	p.absorb(i)
	return c
}

// newCopy is a copy that leaves by a port.
func (p *Partition) newCopy(c *copying, out int32, r role) (i int32) {
	i = p.pool.get(&p.pool.loose)
	p.pool.hot[i], p.pool.cold[i] = c.hot, c.cold
	k := &p.pool.hot[i]
	k.role, k.in, k.dst, k.entropy = r, c.link, p.net.inboxes[out].node, uint32(c.record)
	p.stats.Injected++
	p.stats.InBytes += int64(k.size)
	if r == roleCopy {
		p.stats.Bursts++
	}
	return i
}

// reduce adds a contribution and sends the sum on when it is complete.
func (s *infinibandState) reduce(p *Partition, b *inbox, link, i int32) {
	n := p.net
	nd := &n.nodes[b.node]
	k, h := &p.pool.hot[i], &p.pool.cold[i]
	id := reduction.ID{Key: uint64(h.DMALen)<<32 | uint64(h.RKey), Burst: h.Offset, Node: b.node}
	if !p.sums.Add(id, int32(h.Imm)) {
		p.net.pass(p, link, k, p.now)
		p.absorb(i)
		return
	}
	p.net.hold(p, link, k)
	k.in = link
	s.passOrQueue(p, nd, b, nd.route(p, k), i)
}
