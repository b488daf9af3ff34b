package tcp

import "weft/units"

// mark is the state of one outstanding segment.
type mark uint8

const (
	sacked  mark = 1 << iota // the receiver has it
	lost                     // it counts as lost
	resent                   // a retransmission of it is in flight
	touched                  // it has been retransmitted at least once: its acknowledgement is ambiguous
	ending                   // it is the last one of a message
)

// record is one outstanding segment. A segment is never divided again.
type record struct {
	seq    uint64
	sent   units.Time // last
	id     uint32
	length uint16
	marks  mark
}

func (r *record) end() uint64 { return r.seq + uint64(r.length) }

// scoreboard holds the outstanding segments in the order of the stream and
// counts their marks. Marks change here only.
type scoreboard struct {
	ring[record]
	sacked  uint32 // SACKed
	lost    uint32 // lost and not SACKed
	resent  uint32 // with a retransmission in flight, not SACKed
	pending uint32 // lost and waiting for retransmission
	hint    uint64 // no segment before this one waits for retransmission
}

// inFlight is the number of packets in the network (Linux's tcp_packets_in_flight).
func (b *scoreboard) inFlight() uint32 {
	return uint32(b.len()) - b.sacked - b.lost + b.resent
}

// find is the index of the first segment that begins at seq or later.
func (b *scoreboard) find(seq uint64) uint64 {
	lo, hi := b.head, b.tail
	for lo < hi {
		mid := lo + (hi-lo)/2
		if b.at(mid).seq < seq {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}

// settle removes r from the counts of lost and resent segments.
func (b *scoreboard) settle(r *record) {
	if r.marks&lost != 0 {
		b.lost--
		if r.marks&resent == 0 {
			b.pending--
		}
	}
	if r.marks&resent != 0 {
		b.resent--
	}
	r.marks &^= lost | resent
}

// markSacked marks r as delivered.
func (b *scoreboard) markSacked(r *record) {
	b.settle(r)
	r.marks |= sacked
	b.sacked++
}

// renege clears the SACK marks (RFC 2018, 8): the receiver acknowledges only up to a segment that
// it had reported, so it has dropped it. The timeout repairs this.
func (b *scoreboard) renege() {
	for i := b.head; i < b.tail; i++ {
		b.at(i).marks &^= sacked
	}
	b.sacked = 0
}

// markLost marks the last transmission of the segment at i as lost.
func (b *scoreboard) markLost(i uint64) {
	r := b.at(i)
	b.settle(r)
	r.marks |= lost
	b.lost++
	b.pending++
	b.hint = min(b.hint, i)
}

// markResent records that the segment at i was sent again.
func (b *scoreboard) markResent(i uint64, now units.Time) {
	r := b.at(i)
	if r.marks&lost != 0 && r.marks&resent == 0 {
		b.pending--
	}
	if r.marks&resent == 0 {
		b.resent++
	}
	r.marks |= resent | touched
	r.sent = now
}

// nextPending is the first segment that waits for retransmission; there must
// be one.
func (b *scoreboard) nextPending() uint64 {
	i := max(b.hint, b.head)
	for b.at(i).marks&(lost|resent) != lost {
		i++
	}
	b.hint = i
	return i
}

// drop removes the first segment, which has been acknowledged.
func (b *scoreboard) drop() {
	r := b.front()
	if r.marks&sacked != 0 {
		b.sacked--
	} else if r.marks&(lost|resent) != 0 {
		b.settle(r)
	}
	b.pop()
}
