package fabric

import "weft/internal/sim/transport"

// A scale-up switch also replicates stores to all GPUs and reduces loads from all GPUs (NVLink
// SHARP).
//
// A multicast burst stays in the input buffer until its last copy has left. A reduction removes
// each contribution from its input buffer at once and keeps the sum until it is complete; the
// switch's memory for sums is not limited in the model.

// copies counts the copies of a multicast burst that have not left.
type copies struct {
	left int32
	size uint16
}

// copyRecords are the packets that a simulation partition's switches copy and sum. A state with one of them
// is equal to none.
type copyRecords struct {
	copies     []copies `state:"-"`
	copiesFree []int32  `state:"-"`
	sums       sums     `state:"-"`
}

// multicast queues a copy of a burst at every port except its input.
func (p *Partition) multicast(b *inbox, link, i int32) {
	n := p.net
	nd := &n.nodes[b.node]
	p.hold(link, &p.pool.hot[i])
	c := p.beginCopies(link, i)
	for out := nd.base; out < nd.base+nd.ports; out++ {
		if n.back[out] != link && n.inboxes[out].back >= 0 {
			c.queueCopy(p, nd, out, roleCopy)
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

// beginCopies begins to copy a packet.
func (p *Partition) beginCopies(link, i int32) copying {
	c := copying{p.pool.hot[i], p.pool.cold[i], link, p.begin(copies{size: p.pool.hot[i].size})}
	p.pool.put(i)
	p.stats.Delivered++
	p.stats.OutBytes += int64(c.hot.size)
	return c
}

// queueCopy queues a copy at a port.
func (c *copying) queueCopy(p *Partition, nd *node, out int32, r role) {
	n := p.net
	i := p.pool.get(&p.pool.loose)
	p.pool.hot[i], p.pool.cold[i] = c.hot, c.cold
	k := &p.pool.hot[i]
	k.role, k.in, k.dst, k.entropy = r, c.link, n.inboxes[out].node, uint32(c.record)
	p.copies[c.record].left++
	p.stats.Injected++
	p.stats.InBytes += int64(k.size)
	if r == roleCopy {
		p.stats.Bursts++
	}
	n.infiniband[nd.state].enqueue(p, nd, out, i)
}

// begin takes a record for a multicast burst.
func (r *copyRecords) begin(c copies) int32 {
	if last := len(r.copiesFree) - 1; last >= 0 {
		i := r.copiesFree[last]
		r.copiesFree = r.copiesFree[:last]
		r.copies[i] = c
		return i
	}
	r.copies = append(r.copies, c)
	return int32(len(r.copies) - 1)
}

// lastCopy counts a copy that leaves and reports whether it was the last.
func (r *copyRecords) lastCopy(record int32) bool {
	c := &r.copies[record]
	c.left--
	if c.left == 0 {
		r.copiesFree = append(r.copiesFree, record)
	}
	return c.left == 0
}

// reduce adds a contribution and sends the sum on when it is complete.
func (p *Partition) reduce(b *inbox, link, i int32) {
	n := p.net
	nd := &n.nodes[b.node]
	k, h := &p.pool.hot[i], &p.pool.cold[i]
	id := reduction{uint64(h.DMALen)<<32 | uint64(h.RKey), h.Offset, b.node}
	p.hold(link, k)
	if !p.sums.add(id, int32(h.Imm)) {
		p.free(link, k.class, k.size, p.now)
		p.stats.Delivered++
		p.stats.OutBytes += int64(k.size)
		p.pool.put(i)
		return
	}
	k.in = link
	n.infiniband[nd.state].enqueue(p, nd, nd.route(p, k), i)
}
