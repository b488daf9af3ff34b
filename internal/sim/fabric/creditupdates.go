package fabric

import (
	"math"

	"weft/units"
)

// ringInUpdates is the number of periods in the built-in ring of updates.
const ringInUpdates = 16

// updates are the blocks that the receiver of a lane returns, by period. The receiver writes them,
// and they lie with its other data of the lane. The sender reads them only when it has used up its
// known credits, once in many packets.
type updates struct {
	latest int64  // the latest period with an update
	total  uint32 // sum of all blocks, modulo 2^32
	filled uint16 // a bit for each of the last periods with blocks; the lowest is the latest's
	odd    oddCredits
	ring   [ringInUpdates]uint16 // blocks, by period; entries that are not filled are left from earlier periods
}

// farUpdates is the ring of updates whose delay exceeds the built-in ring.
type farUpdates struct {
	grants   []uint16 // by link, class and period, in a ring; nil if the built-in rings suffice
	ringMask int64
}

// oddCredits are flags for unusual updates.
type oddCredits uint8

const (
	creditsAwaited oddCredits = 1 << iota // the sender waits for them
	creditsRemote                         // the sender, and with it the updates, are in another partition
	creditsFar                            // the longest delay exceeds the built-in ring: the ring is in grants
)

// updatesOf are the updates of a lane of a link, as the sender sees them.
func (n *Network) updatesOf(link, index int32) *updates {
	if n.ports[link].flags&flagRemote != 0 {
		return &n.mirrors[index]
	}
	return &n.accounts[index].updates
}

// returned is the number of blocks that the receiver returns in a period up to the latest.
func (u *updates) returned(f *farUpdates, index int32, period int64) int32 {
	if u.odd&creditsFar != 0 {
		return int32(*f.at(index, period))
	}
	if u.filled>>uint64(u.latest-period)&1 == 0 {
		return 0
	}
	return int32(u.ring[period&(ringInUpdates-1)])
}

// at is the number of blocks that a lane gets back in a period.
func (f *farUpdates) at(index int32, period int64) *uint16 {
	return &f.grants[int64(index)*(f.ringMask+1)+period&f.ringMask]
}

// effect is the time at which the update of a period of a link takes effect at the sender.
func (c *creditLink) effect(period int64) units.Time {
	return c.latency + units.Time(period)*c.period
}

// effective is the last period whose update has taken effect by a time, -1 if there is none.
func (c *creditLink) effective(now units.Time) int64 {
	if now < c.latency {
		return -1
	}
	return int64(uint64(now-c.latency) / uint64(c.period))
}

// lastNeeded finds the decisive update of a lane. With all updates the lane has the given number of
// blocks; lastNeeded goes back from the latest update to the last one without which the lane has
// less than it needs, and returns its period. It goes back at most to a given period, and returns
// the lane's blocks by then.
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

// creditsBy is the number of blocks that a lane may send by a time, including updates that have
// taken effect but are not yet known to the sender.
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

// addFar is add for a separate ring.
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
