package fabric

import (
	"weft/internal/sim/fabric/credit"
	"weft/units"
)

// creditPorts is the state of links with credits.
type creditPorts struct {
	credited    bool             // some link has credits
	lanes       []credit.Lane    // by link and class: the sender's view
	accounts    []credit.Account // by link and class: the receiver's view
	creditLinks []credit.Link    // by link
	mirrors     []credit.Updates // by link and class: the updates of lanes whose receiver is in another partition; nil with a single partition
	rings       credit.Rings
}

// updatesOf are the updates of a lane of a link, as the sender sees them.
func (n *Network) updatesOf(link, index int32) *credit.Updates {
	if n.ports[link].flags&flagRemote != 0 {
		return &n.mirrors[index]
	}
	return &n.accounts[index].Updates
}

// creditsBy is the number of blocks that a lane may send by a time.
func (n *Network) creditsBy(link, index int32, now units.Time) int32 {
	return n.lanes[index].By(n.rings, n.updatesOf(link, index), n.creditLinks[link].Latency, now)
}

// takeIn adds the updates that have taken effect to a lane. It returns now if that suffices; else
// the time at which the updates in flight suffice, or Forever if they do not.
func (c *creditPorts) takeIn(p *Partition, link, index, need int32) units.Time {
	n := p.net
	l, u, own := &c.lanes[index], n.updatesOf(link, index), &c.creditLinks[link]
	if far, most := u.Latest-p.now+own.Latency, u.Kept()*own.Period; far > most && u.Kept() < units.Time(l.Granted) {
		p.breach("credit update further off than the longest way", link, int64(far), int64(most))
	}
	at := l.TakeIn(c.rings, u, own.Latency, need, p.now)
	if l.Available > l.Granted {
		p.breach("more credits than buffer", link, int64(l.Available), int64(l.Granted))
	}
	return at
}

// hasCredit reports whether a packet of the size may be sent on a lane; if not, it lowers soonest
// to the time at which the updates in flight will suffice.
func (c *creditPorts) hasCredit(p *Partition, link, index int32, size uint16, soonest *units.Time) bool {
	if c.lanes[index].HasFor(size) {
		return true
	}
	return c.hasCreditNow(p, link, index, credit.Blocks(size), soonest)
}

// hasCreditNow is hasCredit for a lane that has used up its known credits.
func (c *creditPorts) hasCreditNow(p *Partition, link, index, need int32, soonest *units.Time) bool {
	l := &c.lanes[index]
	at := c.takeIn(p, link, index, need)
	if waited := l.Need != 0; waited != (at > p.now) {
		c.noteWait(p, link, index, !waited)
	}
	if at <= p.now {
		l.Need = 0
		return true
	}
	l.Need = need
	*soonest = min(*soonest, at)
	return false
}

// hasMore reports whether a lane has credits for one more packet of a size.
func (c *creditPorts) hasMore(p *Partition, index int32, size uint16) bool {
	need := credit.Blocks(size)
	return c.lanes[index].Available >= need || c.takeIn(p, index/int32(p.net.classes), index, need) <= p.now
}

// noteWait records that a lane begins to wait for credits, or no longer waits.
func (c *creditPorts) noteWait(p *Partition, link, index int32, begins bool) {
	if p.record != nil {
		p.record.Stopped(index, begins, p.now)
	}
	flags := p.net.ports[link].flags
	if flags&flagRemote == 0 {
		c.accounts[index].Odd ^= credit.Awaited // it waits, or no longer
	}
	if begins && flags&flagUncounted == 0 {
		p.stats.Stalls++
	}
}

// hold charges a packet to the receiver's buffer; the credits that the sender
// spent must cover it.
func (c *creditPorts) hold(p *Partition, link int32, k *pkt) {
	if !c.accounts[int(link)*p.net.classes+int(k.class)].Charge(k.size) {
		c.overfull(p, link, k.class)
	}
}

// pass charges a packet to the receiver's buffer and returns its room at once, at a time.
func (c *creditPorts) pass(p *Partition, link int32, k *pkt, at units.Time) {
	n := p.net
	a := &c.accounts[int(link)*n.classes+int(k.class)]
	if a.TryPass(c.rings, k.size, at) {
		n.ports[n.inboxes[link].back].debt += a.Frame
		return
	}
	c.hold(p, link, k)
	c.free(p, link, k.class, k.size, at)
}

// overfull ends the run: a receiver's buffer is over its credits.
func (c *creditPorts) overfull(p *Partition, link int32, class uint8) {
	a := &c.accounts[int(link)*p.net.classes+int(class)]
	p.breach("input buffer over its credits", link, int64(a.Held), int64(a.Granted))
}

// free returns the room of a packet to the sender of its incoming link, with an update when its tail
// has left, at end, or later.
func (c *creditPorts) free(p *Partition, link int32, class uint8, size uint16, end units.Time) {
	n := p.net
	a := &c.accounts[int(link)*n.classes+int(class)]
	done, another := a.TryFree(c.rings, size, end)
	if another {
		n.ports[n.inboxes[link].back].debt += a.Frame
	}
	if !done {
		c.freeRarely(p, link, class, size, end)
	}
}

// freeRarely is free if the account could not do it at once.
func (c *creditPorts) freeRarely(p *Partition, link int32, class uint8, size uint16, end units.Time) {
	n := p.net
	index := link*int32(n.classes) + int32(class)
	a := &c.accounts[index]
	at, another := a.Free(c.rings, size, end)
	if a.Held < 0 {
		p.breach("input buffer holds less than nothing", link, int64(a.Held), 0)
	}
	if another {
		n.ports[n.inboxes[link].back].debt += a.Frame
	}
	switch {
	case a.Odd == 0:
	case a.Odd&credit.Remote != 0:
		c.freeRemote(p, link, remoteCredit{index, credit.Blocks(size), at})
	default:
		c.wakeWaiting(p, &a.Updates, link, index, at)
	}
}

// freeRemote sends an update to another partition.
func (c *creditPorts) freeRemote(p *Partition, link int32, r remoteCredit) {
	n := p.net
	m := p.outgoing()
	m.earliest = min(m.earliest, r.at+c.creditLinks[link].Latency)
	b := &m.to[n.inboxes[n.inboxes[link].back].part]
	b.credits = append(b.credits, r)
}

// collectCredit receives an update from another partition.
func (c *creditPorts) collectCredit(p *Partition, r remoteCredit) {
	u := &c.mirrors[r.lane]
	u.Return(c.rings, r.at, r.blocks)
	if c.lanes[r.lane].Need > 0 {
		c.wakeWaiting(p, u, r.lane/int32(p.net.classes), r.lane, r.at)
	}
}

// wakeWaiting wakes the port of a lane that waits for credits at the time at which the updates in
// flight suffice, if the update of a time is the decisive one.
func (c *creditPorts) wakeWaiting(p *Partition, u *credit.Updates, link, index int32, update units.Time) {
	n := p.net
	l := &c.lanes[index]
	all := l.All(u)
	if all < l.Need {
		return
	}
	// If the updates before this one were enough, the port checks already, or will do so when its
	// wire is free. In a partition that is ahead of these updates, they would wake it in the past.
	if at, _ := u.LastNeeded(c.rings, all, l.Need, update-1); at >= update {
		n.ports[link].wake(p, link, at+c.creditLinks[link].Latency)
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
