package fabric

import "weft/units"

// Credits describe how a receiver of InfiniBand (or of the scale-up network) grants the room in its
// input buffer to the sender.
//
// A packet takes one credit for each 64 bytes or part of it. The room is free again when the
// packet's tail has left. The receiver says so in a flow-control packet at the next multiple of
// Period; the grant reaches the sender after Latency on top of propagation. Flow-control packets go
// before data packets and take FrameBytes of the wire; in the model they need not wait for the end
// of the packet on the wire.
type Credits struct {
	// Blocks is the input buffer in blocks of 64 bytes, by lane.
	Blocks [MaxClasses]int32
	// Period is the time between credit updates.
	Period units.Time
	// Latency is the time from the decision to send an update to the first use of the credits,
	// without propagation: serialisation and the link layers at both ends.
	Latency units.Time
	// FrameBytes is the size of a flow-control packet on the wire.
	FrameBytes uint16
}

// lane is the sender's view of one lane of a link.
type lane struct {
	available int32  // blocks that may be sent, as known to the sender
	granted   int32  // blocks of the receiver's buffer
	need      int32  // blocks for the packet at the head that waits for credits; 0 if none waits
	known     uint32 // part of updates.total that is included in available
}

// account is the receiver's view of a lane, in one cache line.
type account struct {
	updates
	held    int32 // blocks in the buffer
	granted int32 // blocks of the buffer
	period  int32 // picoseconds between updates
	frame   uint16
}

// creditPorts is the state of links with credits.
type creditPorts struct {
	credited    bool         // some link has credits
	lanes       []lane       // by link and class
	accounts    []account    // by link and class
	creditLinks []creditLink // by link
	mirrors     []updates    // by link and class: the updates of lanes whose receiver is in another partition; nil with a single partition
	farUpdates
}

// creditLink is the common properties of the credits of a link.
type creditLink struct {
	period  units.Time
	latency units.Time // from the decision for an update to its effect, including propagation
	frame   uint16
}

func blocks(size uint16) int32 { return int32((uint32(size) + CreditBlock - 1) / CreditBlock) }

// takeIn adds the updates that have taken effect to a lane. It returns now if that suffices; else
// the time at which the updates in flight suffice, or Forever if they do not.
func (l *lane) takeIn(p *Partition, link, index, need int32) units.Time {
	n := p.net
	u := n.updatesOf(link, index)
	all := l.available + int32(u.total-l.known)
	if all < need {
		return units.Forever
	}
	c := &n.creditLinks[link]
	now := c.effective(p.now)
	if u.latest-now > n.ringMask+1 {
		p.breach("credit update further off than the longest way", link, u.latest-now, n.ringMask+1)
	}
	period, sum := u.lastNeeded(&n.farUpdates, index, all, need, now)
	if period > now {
		return c.effect(period)
	}
	l.known += uint32(sum - l.available)
	l.available = sum
	if sum > l.granted {
		p.breach("more credits than buffer", link, int64(sum), int64(l.granted))
	}
	return p.now
}

// hasCredit reports whether a packet of the size may be sent on a lane; if not, it lowers soonest
// to the time at which the updates in flight will suffice.
func (p *Partition) hasCredit(link, index int32, size uint16, soonest *units.Time) bool {
	l := &p.net.lanes[index]
	if l.enough(size) {
		return true
	}
	return l.waitsForCredit(p, link, index, blocks(size), soonest)
}

// enough reports whether a lane without a waiting packet has the credits for a packet.
func (l *lane) enough(size uint16) bool { return l.available >= blocks(size) && l.need == 0 }

// waitsForCredit is hasCredit for a lane that has used up its known credits.
func (l *lane) waitsForCredit(p *Partition, link, index, need int32, soonest *units.Time) bool {
	at := l.takeIn(p, link, index, need)
	if waited := l.need != 0; waited != (at > p.now) {
		p.awaits(link, index, !waited)
	}
	if at <= p.now {
		l.need = 0
		return true
	}
	l.need = need
	*soonest = min(*soonest, at)
	return false
}

// awaits records that a lane begins to wait for credits, or no longer waits.
func (p *Partition) awaits(link, index int32, waits bool) {
	u := p.net.updatesOf(link, index)
	if p.tallies != nil {
		p.tallyStop(index, waits)
	}
	if !waits {
		u.odd &^= creditsAwaited
		return
	}
	u.odd |= creditsAwaited
	if p.net.ports[link].flags&flagUncounted == 0 {
		p.stats.Stalls++
	}
}

// free returns the room of a packet to the sender of its incoming link, with the next update after
// its tail has left, at end.
func (p *Partition) free(link int32, class uint8, size uint16, end units.Time) {
	n := p.net
	index := link*int32(n.classes) + int32(class)
	a := &n.accounts[index]
	room := blocks(size)
	a.held -= room
	if a.held < 0 {
		p.breach("input buffer holds less than nothing", link, int64(a.held), 0)
	}
	period := int64((uint64(end) + uint64(a.period) - 1) / uint64(a.period))
	if period > a.latest { // one more flow-control packet
		n.ports[n.inboxes[link].back].debt += a.frame
	}
	switch {
	case a.odd == 0:
		a.updates.add(p, link, period, room)
	case a.odd&creditsRemote != 0:
		a.latest = max(a.latest, period)
		p.freeRemote(link, remoteCredit{index, room, period})
	default:
		a.updates.addCredit(p, link, index, period, room)
	}
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

// collectCredit receives an update from another partition.
func (p *Partition) collectCredit(c remoteCredit) {
	p.net.mirrors[c.lane].addCredit(p, c.lane/int32(p.net.classes), c.lane, c.period, c.blocks)
}

// addCredit records the blocks that the receiver returns in a period, and wakes the sender if it
// waits for them.
func (u *updates) addCredit(p *Partition, link, index int32, period int64, room int32) {
	if u.odd&creditsFar == 0 {
		u.add(p, link, period, room)
	} else {
		u.addFar(p, link, index, period, room)
	}
	if u.odd&creditsAwaited != 0 {
		u.awaited(p, link, index, period)
	}
}

// awaited wakes the port of a lane that waits for credits at the time at which the updates in
// flight suffice, if the update of this period is the decisive one.
func (u *updates) awaited(p *Partition, link, index int32, period int64) {
	n := p.net
	l := &n.lanes[index]
	all := l.available + int32(u.total-l.known)
	if all < l.need {
		return
	}
	// If the updates before this one were enough, the port checks already, or will do so when its
	// wire is free. In a partition that is ahead of these updates, they would wake it in the past.
	if at, _ := u.lastNeeded(&n.farUpdates, index, all, l.need, period-1); at >= period {
		n.ports[link].wake(p, link, n.creditLinks[link].effect(at))
	}
}

// payDebt puts the due flow-control packets before the next packet onto the wire. They cost nothing
// if the wire was idle long enough.
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
