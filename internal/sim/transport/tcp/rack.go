package tcp

import "weft/units"

// dupThresh is DupThresh of RFC 8985, 3.4.
const dupThresh = 3

// reoWndPersist is the number of recoveries for which a widened reordering window stays.
const reoWndPersist = 16

// resend is one retransmission, in the order of time.
type resend struct {
	index uint64 // in the scoreboard
	sent  units.Time
}

// rack is the state of RFC 8985: a segment is lost when a segment that was sent
// later has arrived and a reordering window has passed.
type rack struct {
	sent   units.Time // RACK.xmit_ts: sending time of the latest arrived segment
	end    uint64     // RACK.end_seq: its end
	rtt    units.Time // RACK.rtt: of it
	minRTT units.Time // least sample of the connection; 0: none yet
	fack   uint64     // RACK.fack: the highest byte that has arrived

	next    uint64       // no segment before this one has an unjudged first transmission
	resends ring[resend] // unjudged retransmissions

	dupRound  uint64 // RACK.dsack_round: no further widening before this byte; 0: none
	widths    uint32 // RACK.reo_wnd_mult
	persist   uint32 // RACK.reo_wnd_persist
	reordered bool   // RACK.reordering_seen
}

// sentAfter orders transmissions by time, then by the stream.
func sentAfter(t1 units.Time, end1 uint64, t2 units.Time, end2 uint64) bool {
	return t1 > t2 || t1 == t2 && end1 > end2
}

// arrived handles the first delivery of r (RFC 8985, 6.2, steps 1 to 3) and returns its RTT, 0 if
// that is ambiguous.
func (k *rack) arrived(now units.Time, r *record) units.Time {
	rtt := now - r.sent
	end := r.end()
	ambiguous := r.marks&touched != 0
	if end >= k.fack {
		k.fack = end
	} else if !ambiguous {
		k.reordered = true
	}
	if ambiguous && rtt < k.minRTT {
		return 0 // the acknowledgement is for an earlier transmission
	}
	if !ambiguous && (k.minRTT == 0 || rtt < k.minRTT) {
		k.minRTT = rtt
	}
	k.rtt = rtt
	if sentAfter(r.sent, end, k.sent, k.end) {
		k.sent, k.end = r.sent, end
	}
	if ambiguous {
		return 0
	}
	return rtt
}

// widen handles a duplicate (step 4): a round trip with a duplicate widens the reordering window.
func (k *rack) widen(una, nxt uint64) {
	if k.dupRound != 0 && una < k.dupRound {
		return
	}
	k.dupRound = nxt
	k.widths++
	k.persist = reoWndPersist
}

// recovered ends a recovery (step 4): after enough of them without duplicates
// the reordering window is narrow again.
func (k *rack) recovered() {
	if k.persist > 0 {
		k.persist--
	}
	if k.persist == 0 {
		k.widths = 1
	}
}

// reorderWindow is RACK.reo_wnd.
func (s *sender) reorderWindow() units.Time {
	k := &s.rack
	if !k.reordered && (s.state == Recovery || s.state == Loss || s.board.sacked >= dupThresh) {
		return 0
	}
	return min(units.Time(k.widths)*k.minRTT/4, s.rtt.smoothed)
}

// detectLoss marks the segments that RACK considers lost (step 5). It returns their number, and the
// time of the next check; Forever if there is no need.
func (s *sender) detectLoss(now units.Time) (n uint32, again units.Time) {
	k, b := &s.rack, &s.board
	allowed := k.rtt + s.reorderWindow()
	again = units.Forever
	// Transmissions are judged in the order of sending: first transmissions are in the order of the
	// stream, the others in k.resends.
	for k.next = max(k.next, b.head); k.next < b.tail; k.next++ {
		r := b.at(k.next)
		if r.marks&(sacked|lost|touched) != 0 {
			continue
		}
		if !sentAfter(k.sent, k.end, r.sent, r.end()) {
			break
		}
		if due := r.sent + allowed; due > now {
			again = due
			break
		}
		b.markLost(k.next)
		n++
	}
	for k.resends.len() > 0 {
		f := *k.resends.front()
		if f.index >= b.head {
			r := b.at(f.index)
			if r.marks&resent != 0 && r.sent == f.sent {
				if !sentAfter(k.sent, k.end, r.sent, r.end()) {
					break
				}
				if due := r.sent + allowed; due > now {
					again = min(again, due)
					break
				}
				b.markLost(f.index)
				n++
			}
		}
		k.resends.pop()
	}
	return n, again
}

// markTimedOut marks the first segment and all segments in flight for longer than a round trip (RFC
// 8985, 6.3).
func (s *sender) markTimedOut(now units.Time) {
	b := &s.board
	allowed := s.rack.rtt + s.reorderWindow()
	for i := b.head; i < b.tail; i++ {
		r := b.at(i)
		waiting := r.marks&lost != 0 && r.marks&resent == 0
		if r.marks&sacked != 0 || waiting {
			continue
		}
		if i == b.head || r.sent+allowed <= now {
			b.markLost(i)
		}
	}
}
