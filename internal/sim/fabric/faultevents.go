package fabric

import (
	"math/bits"

	"weft/internal/sim/fabric/counts"
	"weft/units"
)

// kindDown is the receiver of a failed link, in place of the kind of its node: it loses arriving
// packets.
const kindDown nodeKind = kindGPU + 1

// handle processes the due changes of a cable's end or a row of the tables.
func (f *faultState) handle(p *Partition, source uint64) {
	n := p.net
	ports := uint64(len(n.ports))
	switch {
	case source < ports:
		f.faultOut(p, int32(source))
	case source < 2*ports:
		f.faultIn(p, int32(source-ports))
	default:
		f.changeRow(p, int32(source-2*ports))
	}
}

// faultOut takes the sending end of a link down or up.
func (f *faultState) faultOut(p *Partition, link int32) {
	n := p.net
	own, o := &f.links[link], &n.ports[link]
	if !own.Pass(&own.Out, p.now) {
		return // it was amended
	}
	n.watchSender(link)
	if !own.Out.IsDown() {
		o.flags &^= flagDown
	} else {
		o.flags |= flagDown
		if n.nodes[o.node].kind != kindInfiniBand {
			o.unpause(p, link)
		}
	}
	o.touch(p, link)
}

// unpause ends the pauses of a port whose pausing neighbour is unreachable.
func (o *port) unpause(p *Partition, link int32) {
	o.block(p, link, 0)
	if p.net.pauseUntil != nil {
		clear(p.net.pauseUntil[int(link)*p.net.classes:][:p.net.classes])
	}
}

// faultIn takes the receiving end of a link down or up.
func (f *faultState) faultIn(p *Partition, link int32) {
	n := p.net
	own, b := &f.links[link], &n.inboxes[link]
	if !own.Pass(&own.In, p.now) {
		return // it was amended
	}
	n.watchReceiver(link)
	if own.In.IsDown() {
		b.kind = kindDown
		return
	}
	b.kind = f.receivers[link]
	if b.kind != kindEthernet {
		return
	}
	s := &n.ethernet[n.nodes[b.node].state]
	for class := range n.classes {
		if g := &n.ingress[int(link)*n.classes+class]; g.Paused { // its sender is no longer paused
			g.Paused = false
			s.paused--
		}
	}
}

// lost ends a packet that was on a cable when it failed. The credits of a link need not be returned
// here: they are reset when the link comes up.
func (p *Partition) lost(link, i int32) {
	n := p.net
	k := &p.pool.hot[i]
	if n.receiverCredits(link).Period > 0 {
		p.net.hold(p, link, k)
		p.net.free(p, link, k.class, k.size, p.now)
	}
	p.stats.LastFault = max(p.stats.LastFault, p.now)
	p.dropFrom(link, i, counts.DropFault)
}

// dropByFault drops a packet that waits at a port whose cable has failed.
func (p *Partition) dropByFault(port, i int32, why counts.Drop) {
	p.stats.LastFault = max(p.stats.LastFault, p.now)
	p.dropAt(port, i, why)
}

// sendDown drops all packets that wait at a port with a failed cable, or without a cable.
func (o *port) sendDown(p *Partition, link int32) {
	why := counts.DropFault
	if p.net.inboxes[link].back < 0 {
		why = counts.DropNoRoute
	}
	switch nd := &p.net.nodes[o.node]; nd.kind {
	case kindEthernet:
		nd.ethernet.sendDown(p, o, link, why)
	case kindInfiniBand:
		nd.infiniband.sendDown(p, nd, o, link, why)
	case kindNIC:
		o.sendDownNIC(p, link)
	}
}

func (s *ethernetState) sendDown(p *Partition, o *port, link int32, why counts.Drop) {
	if o.serveIn >= 0 && o.freeAt <= p.now {
		s.releaseServed(p, o)
	}
	for o.nonEmpty != 0 {
		i, _ := o.dequeueEthernet(p, link, uint8(bits.TrailingZeros16(o.nonEmpty)))
		k := &p.pool.hot[i]
		o.queued -= int32(k.size)
		if p.record != nil {
			p.record.Dequeued(p.lane(link, k.class), int32(k.size), p.now)
		}
		s.release(p, k.in, k.class, int32(k.size))
		p.dropByFault(link, i, why)
	}
	if o.serveIn >= 0 {
		o.wake(p, link, o.freeAt)
	}
}

func (s *infinibandState) sendDown(p *Partition, nd *node, o *port, out int32, why counts.Drop) {
	n := p.net
	s.queueSingle(p, nd, o, out)
	for o.nonEmpty != 0 {
		class := uint8(bits.TrailingZeros16(o.nonEmpty))
		index := int(out)*n.classes + int(class)
		input := nextSet(s.requestsOf(n, nd, out, class), int32(n.turns[index])+1)
		n.starved[index] = units.Forever
		p.stats.LastFault = max(p.stats.LastFault, p.now)
		s.discardHead(p, nd, o, out, input, class, why)
	}
}

// sendDownNIC drops replies and the packet that has left its queue pair; packets still in queue
// pairs wait.
func (o *port) sendDownNIC(p *Partition, link int32) {
	n := p.net
	for class := range n.classes {
		q := &n.nicQueues[int(link)*n.classes+class]
		for q.replies.head >= 0 {
			p.dropByFault(link, p.pool.pop(&q.replies), counts.DropFault)
		}
		if q.held >= 0 {
			p.dropByFault(link, q.held, counts.DropFault)
			q.held = -1
		}
		o.settleClass(q, uint8(class))
	}
}

// changeRow writes the due changes into a row of the tables, and into the SL2VL table of its
// switch.
func (f *faultState) changeRow(p *Partition, row int32) {
	n := p.net
	r := &f.rows[row]
	if r.Next() > p.now {
		return // it was amended
	}
	for _, c := range r.PassEntries(p.now) {
		entry := int(row)*n.tables.Endpoints + int(c.Dst)
		n.tables.Port[entry], n.tables.Group[entry] = c.Port, c.Set
	}
	for _, c := range r.PassLanes(p.now) {
		n.laneRule.Map(int(row)).Set(c.In, c.Out, &c.Lanes)
	}
	if next := r.Next(); next != units.Forever {
		p.push(n.nodes[n.tables.Endpoints+int(row)].cell, next, classFault, n.rowSource(row))
	}
}
