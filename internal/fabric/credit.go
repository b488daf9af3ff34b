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
	filled uint16 // a bit for each of the last periods, that with blocks; the lowest is the latest's
	odd    oddCredits
	ring   [ringInUpdates]uint16 // blocks, by period; what is not filled is left of earlier ones
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

// in is the blocks that the receiver gives back in a period up to the latest.
func (n *Network) in(u *updates, index int32, period int64) int32 {
	if u.odd&creditsFar != 0 {
		return int32(*n.far(index, period))
	}
	if u.filled>>uint64(u.latest-period)&1 == 0 {
		return 0
	}
	return int32(u.ring[period&(ringInUpdates-1)])
}

// far is the same where the longest way of an update is more periods than updates have
// room for: their ring is kept apart.
func (n *Network) far(index int32, period int64) *uint16 {
	return &n.grants[int64(index)*(n.ringMask+1)+period&n.ringMask]
}

// effect is when the update of a period of a link takes effect at the sender.
func (c *creditLink) effect(period int64) units.Time {
	return c.latency + units.Time(period)*c.period
}

// effective is the last period whose update has taken effect by a time, -1 if none has.
func (c *creditLink) effective(now units.Time) int64 {
	if now < c.latency {
		return -1
	}
	return int64(uint64(now-c.latency) / uint64(c.period))
}

// takeIn adds the updates that have taken effect to what a lane has, if they make up
// what it needs. It gives the time at which those on the way do; Forever if they do not.
func (p *Partition) takeIn(l *lane, link, index, need int32) units.Time {
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
	period, sum := n.wanting(u, index, all, need, now)
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

// wanting goes back from the latest update of a lane, with all of which it has as many
// blocks as said, to the last without which it has less than it needs, and gives its
// period. It goes back to a given period at most, and gives what the lane has by then.
func (n *Network) wanting(u *updates, index, sum, need int32, to int64) (period int64, left int32) {
	for period = u.latest; period > to; period-- {
		less := sum - n.in(u, index, period)
		if less < need {
			break
		}
		sum = less
	}
	return period, sum
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
	at := p.takeIn(l, link, index, need)
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

// awaits notes that a lane begins to wait for credits, or waits no longer.
func (p *Partition) awaits(link, index int32, waits bool) {
	u := p.net.updatesOf(link, index)
	if !waits {
		u.odd &^= creditsAwaited
		return
	}
	u.odd |= creditsAwaited
	if p.net.ports[link].flags&flagUncounted == 0 {
		p.stats.Stalls++
	}
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
	}
	switch {
	case a.odd == 0:
		p.add(&a.updates, link, period, room)
	case a.odd&creditsRemote != 0:
		a.latest = max(a.latest, period)
		p.freeRemote(link, remoteCredit{index, room, period})
	default:
		p.addCredit(&a.updates, link, index, period, room)
	}
}

// add adds blocks to the update of a period.
func (p *Partition) add(u *updates, link int32, period int64, room int32) {
	u.total += uint32(room)
	at := &u.ring[period&(ringInUpdates-1)]
	if ahead := period - u.latest; ahead > 0 {
		u.filled = u.filled<<uint64(ahead) | 1
		u.latest = period
		*at = uint16(room)
		return
	}
	back := uint64(u.latest - period)
	if back >= ringInUpdates {
		p.breach("credit update before those that are kept", link, int64(back), ringInUpdates-1)
	}
	if u.filled>>back&1 == 0 {
		u.filled |= 1 << back
		*at = 0
	}
	*at += uint16(room)
}

// addFar does the same where the ring is kept apart.
func (p *Partition) addFar(u *updates, link, index int32, period int64, room int32) {
	n := p.net
	if u.latest-period > n.ringMask {
		p.breach("credit update before those that are kept", link, u.latest-period, n.ringMask)
	}
	for last := max(u.latest, period-n.ringMask-1); last < period; {
		last++
		*n.far(index, last) = 0
	}
	u.latest = max(u.latest, period)
	u.total += uint32(room)
	*n.far(index, period) += uint16(room)
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
	p.addCredit(&p.net.mirrors[c.lane], c.lane/int32(p.net.classes), c.lane, c.period, c.blocks)
}

// addCredit notes what the receiver gives back in a period, and wakes the sender if it
// waits for it.
func (p *Partition) addCredit(u *updates, link, index int32, period int64, room int32) {
	if u.odd&creditsFar == 0 {
		p.add(u, link, period, room)
	} else {
		p.addFar(u, link, index, period, room)
	}
	if u.odd&creditsAwaited != 0 {
		p.awaited(u, link, index, period)
	}
}

// awaited wakes the port of a lane that waits for credits at the time when the updates
// on the way suffice, if it is the one in a period that makes them do so.
func (p *Partition) awaited(u *updates, link, index int32, period int64) {
	n := p.net
	l := &n.lanes[index]
	all := l.available + int32(u.total-l.known)
	if all < l.need {
		return
	}
	// Where the updates before this one were enough, the port looks already,
	// or does so as soon as its wire is free; and at a partition that is ahead
	// of them they would wake it in the past.
	if at, _ := n.wanting(u, index, all, l.need, period-1); at >= period {
		p.wake(&n.ports[link], link, n.creditLinks[link].effect(at))
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
