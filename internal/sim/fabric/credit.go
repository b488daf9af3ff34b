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
func (p *Partition) takeIn(link, index, need int32) units.Time {
	n := p.net
	l, u, c := &n.lanes[index], n.updatesOf(link, index), &n.creditLinks[link]
	if far, most := u.Latest-p.now+c.Latency, u.Kept()*c.Period; far > most && u.Kept() < units.Time(l.Granted) {
		p.breach("credit update further off than the longest way", link, int64(far), int64(most))
	}
	at := l.TakeIn(n.rings, u, c.Latency, need, p.now)
	if l.Available > l.Granted {
		p.breach("more credits than buffer", link, int64(l.Available), int64(l.Granted))
	}
	return at
}

// hasCredit reports whether a packet of the size may be sent on a lane; if not, it lowers soonest
// to the time at which the updates in flight will suffice.
func (p *Partition) hasCredit(link, index int32, size uint16, soonest *units.Time) bool {
	if p.net.lanes[index].HasFor(size) {
		return true
	}
	return p.hasCreditNow(link, index, credit.Blocks(size), soonest)
}

// hasCreditNow is hasCredit for a lane that has used up its known credits.
func (p *Partition) hasCreditNow(link, index, need int32, soonest *units.Time) bool {
	l := &p.net.lanes[index]
	at := p.takeIn(link, index, need)
	if waited := l.Need != 0; waited != (at > p.now) {
		p.noteWait(link, index, !waited)
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
func (p *Partition) hasMore(index int32, size uint16) bool {
	need := credit.Blocks(size)
	return p.net.lanes[index].Available >= need || p.takeIn(index/int32(p.net.classes), index, need) <= p.now
}

// noteWait records that a lane begins to wait for credits, or no longer waits.
func (p *Partition) noteWait(link, index int32, begins bool) {
	if p.record != nil {
		p.record.Stopped(index, begins, p.now)
	}
	flags := p.net.ports[link].flags
	if flags&flagRemote == 0 {
		p.net.accounts[index].Odd ^= credit.Awaited // it waits, or no longer
	}
	if begins && flags&flagUncounted == 0 {
		p.stats.Stalls++
	}
}

// hold charges a packet to the receiver's buffer; the credits that the sender
// spent must cover it.
func (p *Partition) hold(link int32, k *pkt) {
	if !p.net.accounts[int(link)*p.net.classes+int(k.class)].Charge(k.size) {
		p.overfull(link, k.class)
	}
}

// overfull ends the run: a receiver's buffer is over its credits.
func (p *Partition) overfull(link int32, class uint8) {
	a := &p.net.accounts[int(link)*p.net.classes+int(class)]
	p.breach("input buffer over its credits", link, int64(a.Held), int64(a.Granted))
}

// free returns the room of a packet to the sender of its incoming link, with an update when its tail
// has left, at end, or later.
func (p *Partition) free(link int32, class uint8, size uint16, end units.Time) {
	n := p.net
	a := &n.accounts[int(link)*n.classes+int(class)]
	done, another := a.TryFree(n.rings, size, end)
	if another {
		n.ports[n.inboxes[link].back].debt += a.Frame
	}
	if !done {
		p.freeRarely(link, class, size, end)
	}
}

// freeRarely is free if the account could not do it at once.
func (p *Partition) freeRarely(link int32, class uint8, size uint16, end units.Time) {
	n := p.net
	index := link*int32(n.classes) + int32(class)
	a := &n.accounts[index]
	at, another := a.Free(n.rings, size, end)
	if a.Held < 0 {
		p.breach("input buffer holds less than nothing", link, int64(a.Held), 0)
	}
	if another {
		n.ports[n.inboxes[link].back].debt += a.Frame
	}
	switch {
	case a.Odd == 0:
	case a.Odd&credit.Remote != 0:
		p.freeRemote(link, remoteCredit{index, credit.Blocks(size), at})
	default:
		p.wakeWaiting(&a.Updates, link, index, at)
	}
}

// freeRemote sends an update to another partition.
func (p *Partition) freeRemote(link int32, c remoteCredit) {
	n := p.net
	m := p.outgoing()
	m.earliest = min(m.earliest, c.at+n.creditLinks[link].Latency)
	b := &m.to[n.inboxes[n.inboxes[link].back].part]
	b.credits = append(b.credits, c)
}

// collectCredit receives an update from another partition.
func (p *Partition) collectCredit(c remoteCredit) {
	u := &p.net.mirrors[c.lane]
	u.Return(p.net.rings, c.at, c.blocks)
	if p.net.lanes[c.lane].Need > 0 {
		p.wakeWaiting(u, c.lane/int32(p.net.classes), c.lane, c.at)
	}
}

// wakeWaiting wakes the port of a lane that waits for credits at the time at which the updates in
// flight suffice, if the update of a time is the decisive one.
func (p *Partition) wakeWaiting(u *credit.Updates, link, index int32, update units.Time) {
	n := p.net
	l := &n.lanes[index]
	all := l.All(u)
	if all < l.Need {
		return
	}
	// If the updates before this one were enough, the port checks already, or will do so when its
	// wire is free. In a partition that is ahead of these updates, they would wake it in the past.
	if at, _ := u.LastNeeded(n.rings, all, l.Need, update-1); at >= update {
		n.ports[link].wake(p, link, at+n.creditLinks[link].Latency)
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
