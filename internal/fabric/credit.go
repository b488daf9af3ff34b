package fabric

import "weft/units"

// Credits say how a receiver of InfiniBand (or of the scale-up network) grants
// the room in its input buffer to the sender.
//
// A packet takes one credit for each 64 bytes or part of it. The receiver sees
// the room again when the packet's tail has left, and says so in a flow-control
// packet at the next multiple of Period; the grant reaches the sender after
// Latency on top of propagation. Flow-control packets go before data packets
// and take FrameBytes of the wire; that they would have to wait for the end of
// the packet on the wire is left out.
type Credits struct {
	// Blocks is the input buffer in blocks of 64 bytes, by lane.
	Blocks [MaxClasses]int32
	// Period is the time between credit updates.
	Period units.Time
	// Latency is the time from the decision to send an update to the first
	// use of the credits, without propagation: serialisation and the time of
	// the link layers at both ends.
	Latency units.Time
	// FrameBytes is the size of a flow-control packet on the wire.
	FrameBytes uint16
}

// updatesInLane is how many periods' updates a lane has room for itself.
const updatesInLane = 16

// lane is the sender's view of one lane of a link, in one cache line.
type lane struct {
	available int32                 // blocks that may be sent
	granted   int32                 // blocks of the receiver's buffer
	need      int32                 // blocks that the packet at the head waits for; 0 if none does
	coming    int32                 // blocks in the updates that have not been taken in
	period    int32                 // picoseconds between updates
	taken     uint32                // the last period whose update has been taken in, modulo 2^32
	next      units.Time            // when the update of the period after that takes effect
	updates   [updatesInLane]uint16 // blocks, by period: a ring
}

// account is the receiver's view of the same, in one cache line. At a switch a link's
// first lane has the read ports of the input buffer, which all lanes share.
type account struct {
	readers reader
	updated int64 // the latest period for which an update is due
	held    int32 // blocks in the buffer
	granted int32 // blocks of the buffer
	period  int32 // picoseconds between updates
	back    int32 // the port that sends the updates
	frame   uint16
	remote  bool // the sender is in another partition
}

// readers are the read ports of the input buffer at the end of a link.
func (n *Network) readers(link int32) *reader { return &n.accounts[int(link)*n.classes].readers }

func newLane(blocks int32, period, latency units.Time) lane {
	return lane{available: blocks, granted: blocks, period: int32(period), next: latency, taken: 1<<32 - 1}
}

func blocks(size uint16) int32 { return int32((uint32(size) + CreditBlock - 1) / CreditBlock) }

// update is the blocks that the receiver gives back in a period. Where the
// longest way of an update is more periods than a lane has room for, they are
// kept apart.
func (n *Network) update(l *lane, index int32, period uint32) *uint16 {
	if n.grants == nil {
		return &l.updates[period&(updatesInLane-1)]
	}
	return &n.grants[int64(index)*(n.ringMask+1)+int64(period)&n.ringMask]
}

// takeIn adds the updates that have arrived by a time.
func (p *Partition) takeIn(l *lane, index int32, now units.Time) {
	for l.next <= now && l.coming > 0 {
		l.taken++
		l.next += units.Time(l.period)
		u := p.net.update(l, index, l.taken)
		l.available += int32(*u)
		l.coming -= int32(*u)
		*u = 0
	}
	if l.next <= now { // and for the rest of the time there were none
		periods := (now-l.next)/units.Time(l.period) + 1
		l.taken += uint32(periods)
		l.next += periods * units.Time(l.period)
	}
	if l.available > l.granted {
		p.breach("more credits than buffer", index/int32(p.net.classes), int64(l.available), int64(l.granted))
	}
}

// hasCredit reports whether a packet of the size may be sent on a lane; if not,
// it lowers soonest to the time when the updates on the way will suffice.
func (p *Partition) hasCredit(index int32, size uint16, soonest *units.Time) bool {
	l := &p.net.lanes[index]
	if l.available < blocks(size) {
		return p.waitsForCredit(l, index, blocks(size), soonest)
	}
	l.need = 0
	return true
}

// waitsForCredit does the same once a lane has used up what it knows of.
func (p *Partition) waitsForCredit(l *lane, index, need int32, soonest *units.Time) bool {
	if l.next <= p.now {
		p.takeIn(l, index, p.now)
	}
	if l.available >= need {
		l.need = 0
		return true
	}
	if l.need == 0 && p.net.ports[int(index)/p.net.classes].flags&flagUncounted == 0 {
		p.stats.Stalls++
	}
	l.need = need
	*soonest = min(*soonest, p.whenEnough(l, index))
	return false
}

// whenEnough is when the updates on the way make up what a lane waits for;
// Forever if they do not.
func (p *Partition) whenEnough(l *lane, index int32) units.Time {
	sum, t := l.available, l.next
	if sum+l.coming < l.need {
		return units.Forever
	}
	for k := l.taken + 1; ; k++ {
		sum += int32(*p.net.update(l, index, k))
		if sum >= l.need {
			return t
		}
		t += units.Time(l.period)
	}
}

// free gives the room of a packet back to the sender of the link by which it
// came; its tail leaves at end.
func (p *Partition) free(link int32, class uint8, size uint16, end units.Time) {
	n := p.net
	index := link*int32(n.classes) + int32(class)
	p.credit(&n.accounts[index], link, index, size, end)
}

// credit does the same for an account.
func (p *Partition) credit(a *account, link, index int32, size uint16, end units.Time) {
	room := blocks(size)
	a.held -= room
	if a.held < 0 {
		p.breach("input buffer holds less than nothing", link, int64(a.held), 0)
	}
	period := int64((uint64(end) + uint64(a.period) - 1) / uint64(a.period))
	if period > a.updated {
		a.updated = period
		p.net.ports[a.back].debt += a.frame
	}
	if a.remote {
		p.freeRemote(link, remoteCredit{index, room, period})
		return
	}
	p.addCredit(index, period, room)
}

// freeRemote sends an update to another partition.
func (p *Partition) freeRemote(link int32, c remoteCredit) {
	n := p.net
	cl := &n.creditLinks[link]
	m := p.outgoing()
	m.earliest = min(m.earliest, units.Time(c.period)*cl.period+cl.latency)
	b := &m.to[n.inboxes[n.inboxes[link].back].part]
	b.credits = append(b.credits, c)
}

// addCredit notes an update that the receiver sends in a period.
func (p *Partition) addCredit(index int32, period int64, blocks int32) {
	n := p.net
	l := &n.lanes[index]
	if ahead := int32(uint32(period) - l.taken); int64(ahead) > n.ringMask {
		p.takeIn(l, index, p.reached(index/int32(n.classes)))
		if ahead = int32(uint32(period) - l.taken); int64(ahead) > n.ringMask+1 {
			p.breach("credit update further off than the longest way", index/int32(n.classes), int64(ahead), n.ringMask+1)
		}
	}
	*n.update(l, index, uint32(period)) += uint16(blocks)
	l.coming += blocks
	if l.need != 0 {
		p.awaited(l, index, period)
	}
}

// awaited wakes the port of a lane that waits for credits at the time when the updates
// on the way suffice, if it is the one in a period that makes them do so.
func (p *Partition) awaited(l *lane, index int32, period int64) {
	// Where the updates before this one were enough, the port looks already,
	// or does so as soon as its wire is free; and at a partition that is ahead
	// of them they would wake it in the past.
	effect := l.next + units.Time(int32(uint32(period)-l.taken)-1)*units.Time(l.period)
	if t := p.whenEnough(l, index); t >= effect {
		link := index / int32(p.net.classes)
		p.wake(&p.net.ports[link], link, t)
	}
}

// reached is the time that both ends of a link have reached.
func (p *Partition) reached(link int32) units.Time {
	if n := p.net; n.cell(link) != n.ports[link].to {
		return p.done // the sender may be behind, or ahead
	}
	return max(p.now, p.done)
}

// payDebt puts the flow-control packets that are due before the next packet
// onto the wire. They cost nothing where the wire was idle long enough.
func (o *port) payDebt(now units.Time) units.Time {
	debt := int64(o.debt)
	o.debt = 0
	if o.freeAt < now {
		return now
	}
	end := o.occupy(now, debt)
	o.bytes -= debt
	return end
}
