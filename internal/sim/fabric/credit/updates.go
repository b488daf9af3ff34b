package credit

import (
	"math"

	"weft/internal/sim/state"
	"weft/units"
)

// Update is a flow-control packet of a lane: the blocks that it returns, and above them the time
// since the lane's update before, in picoseconds. A lane keeps its latest updates in a ring.
type Update uint64

const (
	updateBlocks = 24                       // bits
	longGap      = 1<<(64-updateBlocks) - 1 // 1.1 s or more: all updates before have taken effect
)

func newUpdate(gap units.Time, blocks int32) Update {
	return Update(min(gap, longGap)<<updateBlocks) | Update(blocks)
}

func (e Update) gap() units.Time { return units.Time(e >> updateBlocks) }

func (e Update) blocks() int32 { return int32(e & (1<<updateBlocks - 1)) }

// Updates are the updates of a lane. The receiver writes them, and they lie with its other data of
// the lane. The sender reads them only when it has used up its known credits, once in many packets.
// If it is in another partition, it has a copy.
type Updates struct {
	Latest units.Time // of the latest update
	Total  uint32     // sum of all blocks, modulo 2^32
	first  uint32     // of the lane's ring in Rings
	head   uint32     // the latest update's place in the ring, modulo its size
	mask   uint32     // size of the ring - 1
}

// LongAgo is the time of the latest update of a lane that has had none.
const LongAgo = math.MinInt64 / 2

// Rings are the rings of all lanes, one behind the other.
type Rings []Update

// update is the update at a place of a lane's ring.
func (r Rings) update(u *Updates, place uint32) *Update { return &r[u.first+place&u.mask] }

// Due is the time of the update for a packet whose tail leaves at end: at once, or a period after the
// update before. If a packet that was sent earlier leaves later, its update is for both, unless
// another update fits before it.
func (u *Updates) Due(r Rings, end, period units.Time) units.Time {
	if end > u.Latest {
		return max(end, u.Latest+period)
	}
	at := u.Latest
	for place := u.head; at > end; place-- {
		before := at - r.update(u, place).gap()
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

// JoinsLatest reports whether the blocks of a packet whose tail leaves at end, no later than the latest update,
// are part of this update by due.
func (u *Updates) JoinsLatest(r Rings, end, period units.Time) bool {
	before := u.Latest - r.update(u, u.head).gap()
	return before < end && max(end, before+period)+period > u.Latest
}

// Join adds blocks to the latest update.
func (u *Updates) Join(r Rings, room int32) {
	u.Total += uint32(room)
	*r.update(u, u.head) += Update(room)
}

// Return adds blocks to the update at a time, and reports whether the update is new.
func (u *Updates) Return(r Rings, at units.Time, room int32) bool {
	if at > u.Latest {
		u.Append(r, at, room)
		return true
	}
	if at < u.Latest {
		u.Total += uint32(room)
		return u.returnEarlier(r, at, room)
	}
	u.Join(r, room)
	return false
}

// Append adds an update that is later than all others.
func (u *Updates) Append(r Rings, at units.Time, room int32) {
	u.Total += uint32(room)
	u.head++
	*r.update(u, u.head) = newUpdate(at-u.Latest, room)
	u.Latest = at
}

// returnEarlier is Return for an update that is not the latest.
func (u *Updates) returnEarlier(r Rings, at units.Time, room int32) bool {
	place, later := u.head, u.Latest
	for before := later; before > at; place-- {
		later = before
		before -= r.update(u, place).gap()
		if before == at {
			*r.update(u, place-1) += Update(room)
			return false
		}
	}
	// The new update is between the one at this place and the later one.
	for k := u.head; k != place; k-- {
		*r.update(u, k+1) = *r.update(u, k)
	}
	u.head++
	next := r.update(u, place+2)
	*r.update(u, place+1) = newUpdate(next.gap()-(later-at), room)
	*next = newUpdate(later-at, next.blocks())
	return true
}

// LastNeeded finds the decisive update of a lane. With all updates the lane has the given number of
// blocks; LastNeeded goes back from the latest update to the last one without which the lane has
// less than it needs, and returns its time. It goes back at most to a given time, and returns the
// lane's blocks by then.
func (u *Updates) LastNeeded(r Rings, sum, need int32, to units.Time) (at units.Time, left int32) {
	at = u.Latest
	for place := u.head; at > to; place-- {
		e := r.update(u, place)
		less := sum - e.blocks()
		if less < need {
			break
		}
		sum = less
		at -= e.gap()
	}
	return at, sum
}

// Walk visits the updates of the last stretch of time. Older ones have taken effect, and leave room for the
// next.
func (u *Updates) Walk(w *state.Walk, r Rings, since units.Time) {
	at := u.Latest
	for place := u.head; at > w.Now-since; place-- {
		e := r.update(u, place)
		w.Word(uint64(at - w.Now))
		w.Word(uint64(e.blocks()))
		at -= e.gap()
	}
	w.End()
	if _, by, moving := w.Moves(); moving {
		u.Latest += by
	}
}

// NewUpdates are the updates of a lane of which at most a number are kept, in a ring of their own. used is the
// number of places of the rings before it; it is moved on.
func NewUpdates(most int64, used *int) Updates {
	size := 1
	for int64(size) < most {
		size *= 2
	}
	*used += size
	return Updates{Latest: LongAgo, first: uint32(*used - size), mask: uint32(size - 1)}
}

// Kept is the number of updates that the ring keeps.
func (u *Updates) Kept() units.Time { return units.Time(u.mask) + 1 }
