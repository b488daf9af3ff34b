package tcp

import "fmt"

// Check recounts the counters of c and names the first disagreement. Its time is proportional to
// the outstanding segments.
func (c *Conn) Check() error {
	s, b := &c.snd, &c.snd.board
	if s.una > s.nxt || s.nxt > s.written {
		return fmt.Errorf("tcp: una %d, nxt %d, written %d are not in order", s.una, s.nxt, s.written)
	}
	var sackedN, lostN, resentN, pendingN uint32
	next := s.una
	for i := b.head; i < b.tail; i++ {
		r := b.at(i)
		if r.seq != next {
			return fmt.Errorf("tcp: segment %d begins at %d, not at %d", i, r.seq, next)
		}
		next = r.end()
		switch {
		case r.marks&sacked != 0 && r.marks&(lost|resent) != 0:
			return fmt.Errorf("tcp: segment %d is SACKed and lost or resent", i)
		case r.marks&sacked != 0:
			sackedN++
		}
		if r.marks&lost != 0 {
			lostN++
		}
		if r.marks&resent != 0 {
			resentN++
		}
		if r.marks&(lost|resent) == lost {
			pendingN++
			if i < b.hint {
				return fmt.Errorf("tcp: segment %d waits for retransmission before the hint %d", i, b.hint)
			}
		}
	}
	if next != s.nxt {
		return fmt.Errorf("tcp: the outstanding segments end at %d, nxt is %d", next, s.nxt)
	}
	counted := [4]uint32{b.sacked, b.lost, b.resent, b.pending}
	if found := [4]uint32{sackedN, lostN, resentN, pendingN}; counted != found {
		return fmt.Errorf("tcp: SACKed, lost, resent, pending are counted as %d, found as %d", counted, found)
	}
	if b.len() > 0 && b.front().marks&sacked != 0 {
		return fmt.Errorf("tcp: the first outstanding segment, at %d, is SACKed", s.una)
	}
	if b.len() > 0 && s.state != Broken && s.timer == timerOff {
		return fmt.Errorf("tcp: %d segments are outstanding and no timer runs", b.len())
	}
	return nil
}
