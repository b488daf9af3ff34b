package executor

import "weft/units"

// posting is a message, or its part on one connection, that is under way.
type posting struct {
	at     units.Time // when it was posted
	tag    uint64
	number uint32 // of its pair's messages
	parts  uint32 // into which the message is split
	bytes  int64  // of its last piece
}

// underWay is what is under way on a connection, in its order: what the sender has
// posted and the receiver's NIC reports as it arrives. Packets carry lengths and no
// data; this is what the data would say.
//
// The sender writes an entry before its packets leave, and uses it again when it is
// acknowledged; the receiver reads it when the last of the packets has come. So the ends
// may be in different partitions, which have a window's end between the two.
type underWay struct {
	ring          []posting // of a power of two
	posted, ended uint32    // the sender's
	arrived       uint32    // the receiver's
}

// newUnderWay makes room for so many entries, a power of two. Both ends must be in one
// partition if there may be more.
func newUnderWay(room int) *underWay { return &underWay{ring: make([]posting, room)} }

func (u *underWay) at(n uint32) *posting { return &u.ring[n&uint32(len(u.ring)-1)] }

// post adds what the sender posts.
func (u *underWay) post(m posting) {
	if int(u.posted-u.ended) == len(u.ring) {
		more := underWay{ring: make([]posting, 2*len(u.ring))}
		for n := u.ended; n != u.posted; n++ {
			*more.at(n) = *u.at(n)
		}
		u.ring = more.ring
	}
	*u.at(u.posted) = m
	u.posted++
}

// arrive is the next that has come to the receiver.
func (u *underWay) arrive() posting {
	u.arrived++
	return *u.at(u.arrived - 1)
}

// end is the next that the sender knows to have arrived.
func (u *underWay) end() posting {
	u.ended++
	return *u.at(u.ended - 1)
}

// first is the oldest that has not ended; nil if all has.
func (u *underWay) first() *posting {
	if u.ended == u.posted {
		return nil
	}
	return u.at(u.ended)
}

// partsLeft counts the parts of split messages at one end of a pair.
type partsLeft map[uint32]uint32

// missing counts a part and reports whether others of its message are still missing.
func (left *partsLeft) missing(part *posting) bool {
	if part.parts <= 1 {
		return false
	}
	n, begun := (*left)[part.number]
	if !begun {
		n = part.parts
	}
	if n--; n == 0 {
		delete(*left, part.number)
		return false
	}
	if *left == nil {
		*left = make(partsLeft)
	}
	(*left)[part.number] = n
	return true
}
