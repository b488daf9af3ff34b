package fabric

import (
	"math"

	"weft/units"
)

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

// farUpdates is the ring of updates whose way is more periods than updates have room for.
type farUpdates struct {
	grants   []uint16 // by link, class and period, in a ring; nil if those of the updates are enough
	ringMask int64
}

// oddCredits is what is out of the ordinary about updates.
type oddCredits uint8

const (
	creditsAwaited oddCredits = 1 << iota // the sender waits for them
	creditsRemote                         // the sender, and with it the updates, are in another partition
	creditsFar                            // the longest way of one is more periods than they have room for: the ring is in grants
)

// updatesOf are the updates of a lane of a link, as the sender sees them.
func (n *Network) updatesOf(link, index int32) *updates {
	if n.ports[link].flags&flagRemote != 0 {
		return &n.mirrors[index]
	}
	return &n.accounts[index].updates
}

// returned is the blocks that the receiver gives back in a period up to the latest.
func (u *updates) returned(f *farUpdates, index int32, period int64) int32 {
	if u.odd&creditsFar != 0 {
		return int32(*f.at(index, period))
	}
	if u.filled>>uint64(u.latest-period)&1 == 0 {
		return 0
	}
	return int32(u.ring[period&(ringInUpdates-1)])
}

// at is the blocks that a lane gets back in a period.
func (f *farUpdates) at(index int32, period int64) *uint16 {
	return &f.grants[int64(index)*(f.ringMask+1)+period&f.ringMask]
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

// lastNeeded goes back from the latest update of a lane, with all of which it has as many
// blocks as said, to the last without which it has less than it needs, and gives its
// period. It goes back to a given period at most, and gives what the lane has by then.
func (u *updates) lastNeeded(f *farUpdates, index, sum, need int32, to int64) (period int64, left int32) {
	for period = u.latest; period > to; period-- {
		less := sum - u.returned(f, index, period)
		if less < need {
			break
		}
		sum = less
	}
	return period, sum
}

// creditsBy is the blocks that a lane may send by a time, with the updates that have taken
// effect and are not in what it knows of.
func (n *Network) creditsBy(link, index int32, now units.Time) int32 {
	l, u := &n.lanes[index], n.updatesOf(link, index)
	all := l.available + int32(u.total-l.known)
	_, left := u.lastNeeded(&n.farUpdates, index, all, math.MinInt32, n.creditLinks[link].effective(now))
	return left
}

// add adds blocks to the update of a period.
func (u *updates) add(p *Partition, link int32, period int64, room int32) {
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
func (u *updates) addFar(p *Partition, link, index int32, period int64, room int32) {
	n := p.net
	if u.latest-period > n.ringMask {
		p.breach("credit update before those that are kept", link, u.latest-period, n.ringMask)
	}
	for last := max(u.latest, period-n.ringMask-1); last < period; {
		last++
		*n.farUpdates.at(index, last) = 0
	}
	u.latest = max(u.latest, period)
	u.total += uint32(room)
	*n.farUpdates.at(index, period) += uint16(room)
}
