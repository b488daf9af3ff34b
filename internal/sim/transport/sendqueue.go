package transport

import "weft/units"

// sendQueue is the posted work, and how far it is sent and acknowledged: head and una are
// the oldest that is not finished, cur and nxt the next to send, tail and end the place
// behind all that is posted. PSNs run una <= nxt <= max <= end around their circle.
type sendQueue struct {
	head, cur, tail uint32
	una, nxt, max   units.PSN // max is the first PSN that was never sent
	end             units.PSN
	locals          uint16     // local operations that have not completed
	ringed          bool       // the queue is ring, and not only
	readsOut        uint8      // READs and atomics between head and cur
	only            sendWork   // the queue, until two are posted at once
	ring            []sendWork // its length is a power of two
}

// work is the send work request of an index from head to tail.
func (s *sendQueue) work(i uint32) *sendWork {
	if !s.ringed {
		return &s.only
	}
	return &s.ring[i&uint32(len(s.ring)-1)]
}

// oldest is Oldest for the send queue.
func (s *sendQueue) oldest() (id uint64, first units.PSN) {
	if s.head == s.tail {
		return 0, s.end
	}
	w := s.work(s.head)
	return w.id, w.first
}

// sourceOf is the ID of the work request whose payload a request that Next has
// just filled carries.
func (s *sendQueue) sourceOf(p *Packet) (id uint64, ok bool) {
	// Of a packet at nxt it is cur, or the one before; of a repetition any from
	// head on.
	near := s.head
	if s.cur != s.head {
		near = s.cur - 1
	}
	for _, part := range [...][2]uint32{{near, s.tail}, {s.head, near}} {
		for i := part[0]; i != part[1]; i++ {
			w := s.work(i)
			if uint32(p.PSN.Sub(w.first))&units.PSNMask < w.packets {
				return w.id, true
			}
		}
	}
	return 0, false
}
