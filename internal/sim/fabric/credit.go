package fabric

import "weft/units"

// Credits describe how a receiver of InfiniBand (or of the scale-up network) grants the room in its
// input buffer to the sender.
//
// A packet takes one credit for each 64 bytes or part of it. The room is free again when the
// packet's tail has left. The receiver says so in a flow-control packet, at once or Period after the
// lane's flow-control packet before; the grant reaches the sender after Latency on top of
// propagation. Flow-control packets go before data packets and take FrameBytes of the wire; in the
// model they need not wait for the end of the packet on the wire.
type Credits struct {
	// Blocks is the input buffer in blocks of 64 bytes, by lane.
	Blocks [MaxClasses]int32
	// Period is the shortest time between two flow-control packets of a lane.
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

// account is the receiver's view of a lane.
type account struct {
	updates
	held    int32 // blocks in the buffer
	granted int32 // blocks of the buffer
	period  int32 // picoseconds between updates, at least
	frame   uint16
	odd     oddCredits
}

// creditPorts is the state of links with credits.
type creditPorts struct {
	credited    bool         // some link has credits
	lanes       []lane       // by link and class
	accounts    []account    // by link and class
	creditLinks []creditLink // by link
	mirrors     []updates    // by link and class: the updates of lanes whose receiver is in another partition; nil with a single partition
	rings       updateRings
}

// creditLink is the common properties of the credits of a link.
type creditLink struct {
	period  units.Time
	latency units.Time // from the decision for an update to its effect, including propagation
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
	to := p.now - c.latency // later updates are on the way
	if kept := units.Time(u.mask) + 1; u.latest-to > kept*c.period && kept < units.Time(l.granted) {
		p.breach("credit update further off than the longest way", link, int64(u.latest-to), int64(kept*c.period))
	}
	at, sum := u.lastNeeded(n.rings, all, need, to)
	if at > to {
		return at + c.latency
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
	if p.tallies != nil {
		p.tallyStop(index, waits)
	}
	flags := p.net.ports[link].flags
	if flags&flagRemote == 0 {
		p.net.accounts[index].odd ^= creditsAwaited // it waits, or no longer
	}
	if waits && flags&flagUncounted == 0 {
		p.stats.Stalls++
	}
}

// free returns the room of a packet to the sender of its incoming link, with an update when its tail
// has left, at end, or later.
func (p *Partition) free(link int32, class uint8, size uint16, end units.Time) {
	if !p.net.freed(link, class, size, end) {
		p.freeRarely(link, class, size, end)
	}
}

// freeRarely is free if freed has done nothing.
func (p *Partition) freeRarely(link int32, class uint8, size uint16, end units.Time) {
	n := p.net
	index := link*int32(n.classes) + int32(class)
	a := &n.accounts[index]
	room := blocks(size)
	a.held -= room
	if a.held < 0 {
		p.breach("input buffer holds less than nothing", link, int64(a.held), 0)
	}
	at := a.due(n.rings, end, units.Time(a.period))
	if a.add(n.rings, at, room) { // one more flow-control packet
		n.ports[n.inboxes[link].back].debt += a.frame
	}
	switch {
	case a.odd == 0:
	case a.odd&creditsRemote != 0:
		p.freeRemote(link, remoteCredit{index, room, at})
	default:
		a.awaited(p, link, index, at)
	}
}

// freed is free if the update is the lane's latest, or goes with it, and nobody waits for it; else it does
// nothing, and returns false.
func (n *Network) freed(link int32, class uint8, size uint16, end units.Time) bool {
	a := &n.accounts[int(link)*n.classes+int(class)]
	room := blocks(size)
	if a.odd != 0 || a.held < room {
		return false
	}
	if end <= a.latest {
		if !a.joinsLatest(n.rings, end, units.Time(a.period)) {
			return false
		}
		a.held -= room
		a.join(n.rings, room)
		return true
	}
	a.held -= room
	a.append(n.rings, max(end, a.latest+units.Time(a.period)), room)
	n.ports[n.inboxes[link].back].debt += a.frame
	return true
}

// freeRemote sends an update to another partition.
func (p *Partition) freeRemote(link int32, c remoteCredit) {
	n := p.net
	m := p.outgoing()
	m.earliest = min(m.earliest, c.at+n.creditLinks[link].latency)
	b := &m.to[n.inboxes[n.inboxes[link].back].part]
	b.credits = append(b.credits, c)
}

// collectCredit receives an update from another partition.
func (p *Partition) collectCredit(c remoteCredit) {
	u := &p.net.mirrors[c.lane]
	u.add(p.net.rings, c.at, c.blocks)
	if p.net.lanes[c.lane].need > 0 {
		u.awaited(p, c.lane/int32(p.net.classes), c.lane, c.at)
	}
}

// awaited wakes the port of a lane that waits for credits at the time at which the updates in
// flight suffice, if the update of this time is the decisive one.
func (u *updates) awaited(p *Partition, link, index int32, now units.Time) {
	n := p.net
	l := &n.lanes[index]
	all := l.available + int32(u.total-l.known)
	if all < l.need {
		return
	}
	// If the updates before this one were enough, the port checks already, or will do so when its
	// wire is free. In a partition that is ahead of these updates, they would wake it in the past.
	if at, _ := u.lastNeeded(n.rings, all, l.need, now-1); at >= now {
		n.ports[link].wake(p, link, at+n.creditLinks[link].latency)
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
