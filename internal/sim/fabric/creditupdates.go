package fabric

import (
	"math"

	"weft/units"
)

// update is a flow-control packet of a lane: the blocks that it returns, and above them the time
// since the lane's update before, in picoseconds. A lane keeps its latest updates in a ring.
type update uint64

const (
	updateBlocks = 24                       // bits
	longGap      = 1<<(64-updateBlocks) - 1 // 1.1 s or more: all updates before have taken effect
)

func newUpdate(gap units.Time, blocks int32) update {
	return update(min(gap, longGap)<<updateBlocks) | update(blocks)
}

func (e update) gap() units.Time { return units.Time(e >> updateBlocks) }

func (e update) blocks() int32 { return int32(e & (1<<updateBlocks - 1)) }

// updates are the updates of a lane. The receiver writes them, and they lie with its other data of
// the lane. The sender reads them only when it has used up its known credits, once in many packets.
// If it is in another partition, it has a copy.
type updates struct {
	latest units.Time // of the latest update
	total  uint32     // sum of all blocks, modulo 2^32
	first  uint32     // of the lane's ring in updateRings
	head   uint32     // the latest update's place in the ring, modulo its size
	mask   uint32     // size of the ring - 1
}

// longAgo is the time of the latest update of a lane that has had none.
const longAgo = math.MinInt64 / 2

// updateRings are the rings of all lanes, one behind the other.
type updateRings []update

// oddCredits are flags for unusual updates.
type oddCredits uint8

const (
	creditsAwaited oddCredits = 1 << iota // the sender, in the same partition, waits for them
	creditsRemote                         // the sender is in another partition
)

// updatesOf are the updates of a lane of a link, as the sender sees them.
func (n *Network) updatesOf(link, index int32) *updates {
	if n.ports[link].flags&flagRemote != 0 {
		return &n.mirrors[index]
	}
	return &n.accounts[index].updates
}

// at is the update at a place of a lane's ring.
func (r updateRings) at(u *updates, place uint32) *update { return &r[u.first+place&u.mask] }

// due is the time of the update for a packet whose tail leaves at end: at once, or a period after the
// update before. If a packet that was sent earlier leaves later, its update is for both, unless
// another update fits before it.
func (u *updates) due(r updateRings, end, period units.Time) units.Time {
	if end > u.latest {
		return max(end, u.latest+period)
	}
	at := u.latest
	for place := u.head; at > end; place-- {
		before := at - r.at(u, place).gap()
		if before < end {
			if between := max(end, before+period); between+period <= at {
				return between
			}
			break
		}
		at = before
	}
	return at
}

// joinsLatest reports whether the blocks of a packet whose tail leaves at end, no later than the latest update,
// are part of this update by due.
func (u *updates) joinsLatest(r updateRings, end, period units.Time) bool {
	before := u.latest - r.at(u, u.head).gap()
	return before < end && max(end, before+period)+period > u.latest
}

// join adds blocks to the latest update.
func (u *updates) join(r updateRings, room int32) {
	u.total += uint32(room)
	*r.at(u, u.head) += update(room)
}

// add adds blocks to the update at a time, and reports whether the update is new.
func (u *updates) add(r updateRings, at units.Time, room int32) bool {
	if at > u.latest {
		u.append(r, at, room)
		return true
	}
	if at < u.latest {
		u.total += uint32(room)
		return u.addEarlier(r, at, room)
	}
	u.join(r, room)
	return false
}

// append adds an update that is later than all others.
func (u *updates) append(r updateRings, at units.Time, room int32) {
	u.total += uint32(room)
	u.head++
	*r.at(u, u.head) = newUpdate(at-u.latest, room)
	u.latest = at
}

// addEarlier is add for an update that is not the latest.
func (u *updates) addEarlier(r updateRings, at units.Time, room int32) bool {
	place, later := u.head, u.latest
	for before := later; before > at; place-- {
		later = before
		before -= r.at(u, place).gap()
		if before == at {
			*r.at(u, place-1) += update(room)
			return false
		}
	}
	// The new update is between the one at this place and the later one.
	for k := u.head; k != place; k-- {
		*r.at(u, k+1) = *r.at(u, k)
	}
	u.head++
	next := r.at(u, place+2)
	*r.at(u, place+1) = newUpdate(next.gap()-(later-at), room)
	*next = newUpdate(later-at, next.blocks())
	return true
}

// lastNeeded finds the decisive update of a lane. With all updates the lane has the given number of
// blocks; lastNeeded goes back from the latest update to the last one without which the lane has
// less than it needs, and returns its time. It goes back at most to a given time, and returns the
// lane's blocks by then.
func (u *updates) lastNeeded(r updateRings, sum, need int32, to units.Time) (at units.Time, left int32) {
	at = u.latest
	for place := u.head; at > to; place-- {
		e := r.at(u, place)
		less := sum - e.blocks()
		if less < need {
			break
		}
		sum = less
		at -= e.gap()
	}
	return at, sum
}

// creditsBy is the number of blocks that a lane may send by a time, including updates that have
// taken effect but are not yet known to the sender.
func (n *Network) creditsBy(link, index int32, now units.Time) int32 {
	l, u := &n.lanes[index], n.updatesOf(link, index)
	all := l.available + int32(u.total-l.known)
	_, left := u.lastNeeded(n.rings, all, math.MinInt32, now-n.creditLinks[link].latency)
	return left
}
