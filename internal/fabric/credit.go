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

// lane is the sender's view of one lane of a link.
type lane struct {
	available int32  // blocks that may be sent, as far as the sender knows
	granted   int32  // blocks of the receiver's buffer
	need      int32  // blocks that the packet at the head waits for; 0 if none does
	known     uint32 // of updates.total, what has been added to available
}

// ringInUpdates is how many periods updates have room for themselves.
const ringInUpdates = 16

// updates are what the receiver of a lane gives back, by period. They are the
// receiver's to write and lie with what else it has of the lane: the sender looks there
// only when it has used up what it knows of, which is once in many packets.
type updates struct {
	latest int64  // the latest period for which one is due
	total  uint32 // blocks in all of them, modulo 2^32
	odd    oddCredits
	ring   [ringInUpdates]uint16 // blocks, by period, of the last so many
}

// oddCredits is what is out of the ordinary about updates.
type oddCredits uint8

const (
	creditsAwaited oddCredits = 1 << iota // the sender waits for them
	creditsRemote                         // the sender, and with it the updates, are in another partition
	creditsFar                            // the longest way of one is more periods than they have room for: the ring is in grants
)

// account is the receiver's view of a lane, in one cache line.
type account struct {
	updates
	held    int32 // blocks in the buffer
	granted int32 // blocks of the buffer
	period  int32 // picoseconds between updates
	frame   uint16
}

func blocks(size uint16) int32 { return int32((uint32(size) + CreditBlock - 1) / CreditBlock) }

// updatesOf are the updates of a lane of a link, as the sender sees them.
func (n *Network) updatesOf(link, index int32) *updates {
	if n.ports[link].flags&flagRemote != 0 {
		return &n.mirrors[index]
	}
	return &n.accounts[index].updates
}

// update is the blocks that the receiver gives back in a period.
func (n *Network) update(u *updates, index int32, period int64) *uint16 {
	if u.odd&creditsFar == 0 {
		return &u.ring[period&(ringInUpdates-1)]
	}
	return &n.grants[int64(index)*(n.ringMask+1)+period&n.ringMask]
}

// takeIn adds the updates that have taken effect by now.
func (p *Partition) takeIn(l *lane, u *updates, link, index int32) {
	n := p.net
	cl := &n.creditLinks[link]
	last := int64(-1) // the last period whose update has
	if p.now >= cl.latency {
		last = int64(p.now-cl.latency) / int64(cl.period)
	}
	if u.latest-last > n.ringMask+1 {
		p.breach("credit update further off than the longest way", link, u.latest-last, n.ringMask+1)
	}
	sum := u.total
	for period := u.latest; period > last; period-- {
		sum -= uint32(*n.update(u, index, period))
	}
	l.available += int32(sum - l.known)
	l.known = sum
	if l.available > l.granted {
		p.breach("more credits than buffer", link, int64(l.available), int64(l.granted))
	}
}

// hasCredit reports whether a packet of the size may be sent on a lane; if not,
// it lowers soonest to the time when the updates on the way will suffice.
func (p *Partition) hasCredit(link, index int32, size uint16, soonest *units.Time) bool {
	l := &p.net.lanes[index]
	if l.enough(size) {
		return true
	}
	return p.waitsForCredit(l, link, index, blocks(size), soonest)
}

// enough reports whether a lane for which nothing waited has the credits for a packet.
func (l *lane) enough(size uint16) bool { return l.available >= blocks(size) && l.need == 0 }

// waitsForCredit does the same as hasCredit once a lane has used up what it knows of.
func (p *Partition) waitsForCredit(l *lane, link, index, need int32, soonest *units.Time) bool {
	u := p.net.updatesOf(link, index)
	p.takeIn(l, u, link, index)
	if l.available >= need {
		l.need = 0
		u.odd &^= creditsAwaited
		return true
	}
	if l.need == 0 && p.net.ports[link].flags&flagUncounted == 0 {
		p.stats.Stalls++
	}
	l.need = need
	u.odd |= creditsAwaited
	*soonest = min(*soonest, p.whenEnough(l, u, link, index))
	return false
}

// whenEnough is when the updates on the way make up what a lane waits for;
// Forever if they do not.
func (p *Partition) whenEnough(l *lane, u *updates, link, index int32) units.Time {
	n := p.net
	spare := int32(u.total-l.known) + l.available - l.need
	if spare < 0 {
		return units.Forever
	}
	cl := &n.creditLinks[link]
	period := u.latest
	for ; period > u.latest-n.ringMask; period-- {
		if spare -= int32(*n.update(u, index, period)); spare < 0 {
			break
		}
	}
	return cl.latency + units.Time(period)*cl.period
}

// free gives the room of a packet back to the sender of the link by which it came, with
// the next update after its tail has left, at end.
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
		if a.odd&creditsFar == 0 {
			a.begin(period)
		} else {
			n.beginFar(&a.updates, index, period)
		}
	}
	if a.odd != 0 || uint64(a.latest-period) >= ringInUpdates {
		p.freeOddly(&a.updates, link, index, period, room)
		return
	}
	a.ring[period&(ringInUpdates-1)] += uint16(room)
	a.total += uint32(room)
}

// begin makes a period the latest.
func (u *updates) begin(period int64) {
	if period-u.latest >= ringInUpdates {
		u.ring = [ringInUpdates]uint16{}
		u.latest = period
		return
	}
	for u.latest < period {
		u.latest++
		u.ring[u.latest&(ringInUpdates-1)] = 0
	}
}

// beginFar does the same where the ring is in grants.
func (n *Network) beginFar(u *updates, index int32, period int64) {
	for last := max(u.latest, period-n.ringMask-1); last < period; {
		last++
		*n.update(u, index, last) = 0
	}
	u.latest = period
}

// freeOddly does the rest of free where something is out of the ordinary.
func (p *Partition) freeOddly(u *updates, link, index int32, period int64, room int32) {
	if u.odd&creditsRemote != 0 {
		p.freeRemote(link, remoteCredit{index, room, period})
		return
	}
	p.addCredit(u, link, index, period, room)
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

// collectCredit takes in an update that another partition has sent.
func (p *Partition) collectCredit(c remoteCredit) {
	n := p.net
	u := &n.mirrors[c.lane]
	if c.period > u.latest {
		n.beginFar(u, c.lane, c.period)
	}
	p.addCredit(u, c.lane/int32(n.classes), c.lane, c.period, c.blocks)
}

// addCredit notes what the receiver gives back in a period, and wakes the sender if it
// waits for it.
func (p *Partition) addCredit(u *updates, link, index int32, period int64, room int32) {
	n := p.net
	if u.latest-period > n.ringMask {
		p.breach("credit update before those that are kept", link, u.latest-period, n.ringMask)
	}
	*n.update(u, index, period) += uint16(room)
	u.total += uint32(room)
	if u.odd&creditsAwaited != 0 {
		p.awaited(u, link, index, period)
	}
}

// awaited wakes the port of a lane that waits for credits at the time when the updates
// on the way suffice, if it is the one in a period that makes them do so.
func (p *Partition) awaited(u *updates, link, index int32, period int64) {
	// Where the updates before this one were enough, the port looks already,
	// or does so as soon as its wire is free; and at a partition that is ahead
	// of them they would wake it in the past.
	cl := &p.net.creditLinks[link]
	if t := p.whenEnough(&p.net.lanes[index], u, link, index); t >= cl.latency+units.Time(period)*cl.period {
		p.wake(&p.net.ports[link], link, t)
	}
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
