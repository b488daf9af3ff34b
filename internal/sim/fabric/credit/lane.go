package credit

import (
	"math"

	"weft/units"
)

// Lane is the sender's view of one lane of a link.
type Lane struct {
	Available int32  // blocks that may be sent, as known to the sender
	Granted   int32  // blocks of the receiver's buffer
	Need      int32  // blocks for the packet at the head that waits for credits; 0 if none waits
	Known     uint32 // part of Updates.Total that is included in Available
}

// Account is the receiver's view of a lane.
type Account struct {
	Updates
	Held    int32 // blocks in the buffer
	Granted int32 // blocks of the buffer
	Period  int32 // picoseconds between updates, at least
	Frame   uint16
	Odd     Odd
}

// Link is the common properties of the credits of a link; a Period of 0 is a link without credits.
type Link struct {
	Period  units.Time
	Latency units.Time // from the decision for an update to its effect, including propagation
}

// Odd are flags for unusual updates of a lane.
type Odd uint8

const (
	// Awaited is a lane whose sender, in the same partition, waits for updates.
	Awaited Odd = 1 << iota
	// Remote is a lane whose sender is in another partition.
	Remote
)

// HasFor reports whether a lane without a waiting packet has the credits for a packet.
func (l *Lane) HasFor(size uint16) bool { return l.Available >= Blocks(size) && l.Need == 0 }

// All is the number of blocks that a lane will have with all updates under way.
func (l *Lane) All(u *Updates) int32 { return l.Available + int32(u.Total-l.Known) }

// TakeIn adds the updates that have taken effect to a lane. It returns now if that suffices; else
// the time at which the updates in flight suffice, or Forever if they do not.
func (l *Lane) TakeIn(r Rings, u *Updates, latency units.Time, need int32, now units.Time) units.Time {
	all := l.All(u)
	if all < need {
		return units.Forever
	}
	effective := now - latency // later updates are on the way
	last, sum := u.LastNeeded(r, all, need, effective)
	if last > effective {
		return last + latency
	}
	l.Known += uint32(sum - l.Available)
	l.Available = sum
	return now
}

// By is the number of blocks that a lane may send by a time, including updates that have taken effect
// but are not yet known to the sender.
func (l *Lane) By(r Rings, u *Updates, latency, now units.Time) int32 {
	_, left := u.LastNeeded(r, l.All(u), math.MinInt32, now-latency)
	return left
}

// Charge charges a packet to the buffer, and reports whether there was room.
func (a *Account) Charge(size uint16) bool {
	a.Held += Blocks(size)
	return a.Held <= a.Granted
}

// TryFree returns the room of a packet whose tail leaves at end with an update, if that is the lane's
// latest, or goes with it, and nobody waits for it; else it does nothing, and done is false. another
// says that the update is one more flow-control packet.
func (a *Account) TryFree(r Rings, size uint16, end units.Time) (done, another bool) {
	room := Blocks(size)
	if a.Odd != 0 || a.Held < room {
		return false, false
	}
	if end <= a.Latest {
		if !a.JoinsLatest(r, end, units.Time(a.Period)) {
			return false, false
		}
		a.Held -= room
		a.Join(r, room)
		return true, false
	}
	a.Held -= room
	a.Append(r, max(end, a.Latest+units.Time(a.Period)), room)
	return true, true
}

// TryPass charges a packet and returns its room at once, at a time, with a new update; else it does nothing.
func (a *Account) TryPass(r Rings, size uint16, at units.Time) bool {
	room := Blocks(size)
	if a.Odd != 0 || a.Held+room > a.Granted || at <= a.Latest {
		return false
	}
	a.Append(r, max(at, a.Latest+units.Time(a.Period)), room)
	return true
}

// Free returns the room of a packet whose tail leaves at end, with an update at a time. another says
// that the update is one more flow-control packet.
func (a *Account) Free(r Rings, size uint16, end units.Time) (at units.Time, another bool) {
	room := Blocks(size)
	a.Held -= room
	at = a.Due(r, end, units.Time(a.Period))
	return at, a.Return(r, at, room)
}
