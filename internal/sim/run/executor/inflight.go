package executor

import "weft/units"

// posting is a message in flight, or its part on one connection.
type posting struct {
	at     units.Time // time of posting
	tag    uint64
	number uint32 // number among its pair's messages
	parts  uint32 // number of the message's parts
	bytes  int64  // length of its last piece
}

// underWay is the messages in flight on a connection, in order: posted by the sender and reported
// on arrival by the receiver's NIC. Packets carry lengths and no data; this queue represents the
// data.
//
// The sender writes an entry before its packets leave, and reuses it when it is acknowledged; the
// receiver reads it when the last of the packets has arrived. So the ends may be in different
// simulation partitions, with a window's end between the two accesses.
type underWay struct {
	ring          []posting // its length is a power of two
	posted, ended uint32    // the sender's
	arrived       uint32    // the receiver's
}

// newUnderWay makes room for a number of entries, a power of two. Both ends must be in one
// partition if there may be more.
func newUnderWay(room int) *underWay { return &underWay{ring: make([]posting, room)} }

func (u *underWay) at(n uint32) *posting { return &u.ring[n&uint32(len(u.ring)-1)] }

// post adds a posted message of the sender.
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

// arrive is the next message that has arrived at the receiver.
func (u *underWay) arrive() posting {
	u.arrived++
	return *u.at(u.arrived - 1)
}

// end is the next message whose arrival the sender knows.
func (u *underWay) end() posting {
	u.ended++
	return *u.at(u.ended - 1)
}

// first is the oldest unfinished message; nil if there is none.
func (u *underWay) first() *posting {
	if u.ended == u.posted {
		return nil
	}
	return u.at(u.ended)
}

// partsLeft counts the missing parts of split messages at one end of a pair.
type partsLeft map[uint32]uint32

// missing counts a part and reports whether other parts of its message are still missing.
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
