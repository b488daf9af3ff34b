package transport

import "weft/units"

// sendQueue is the posted work, with its progress: head and una are the oldest unfinished request,
// cur and nxt the next to send, tail and end the place behind the last posted one. PSNs are una <=
// nxt <= max <= end around their circle.
type sendQueue struct {
	head, cur, tail uint32
	una, nxt, max   units.PSN // max is the first PSN that was never sent
	end             units.PSN
	locals          uint16     // local operations that have not completed
	ringed          bool       // the queue is in ring, and not in only
	readsOut        uint8      // READs and atomics between head and cur
	only            sendWork   // the queue, until two are posted at once
	ring            []sendWork // its length is a power of two
}

// add appends a work request.
func (s *sendQueue) add(w sendWork) error {
	if err := s.grow(); err != nil {
		return err
	}
	w.first = s.end
	*s.work(s.tail) = w
	s.tail++
	s.end = w.end()
	return nil
}

// grow makes room for one more work request.
func (s *sendQueue) grow() error {
	n := uint32(1)
	if s.ringed {
		n = uint32(len(s.ring))
	}
	if s.tail-s.head < n {
		return nil
	}
	if n >= MaxSendQueue {
		return ErrQueueFull
	}
	bigger := make([]sendWork, max(minRing, 2*n))
	for i := s.head; i != s.tail; i++ {
		bigger[i&uint32(len(bigger)-1)] = *s.work(i)
	}
	s.ring, s.ringed = bigger, true
	return nil
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

// sourceOf is SourceOf for the send queue.
func (s *sendQueue) sourceOf(p *Packet) (id uint64, ok bool) {
	// For a packet at nxt it is cur, or the one before; for a repetition any from head on.
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

// begun reports whether a part of the current work request has been sent.
func (s *sendQueue) begun() bool {
	return s.cur != s.tail && s.max.Sub(s.work(s.cur).first) > 0
}

// workOf is the work request of a PSN in flight.
func (s *sendQueue) workOf(psn units.PSN) *sendWork {
	i := s.head
	for ; i != s.tail; i++ {
		if w := s.work(i); psn.Before(w.end()) {
			return w
		}
	}
	return s.work(i - 1)
}

// payloadOf is the payload of an unfinished packet.
func (s *sendQueue) payloadOf(psn units.PSN, mtu uint32) units.Bytes {
	w := s.workOf(psn)
	return units.Bytes(w.bytesTo(psn.Add(1), mtu) - w.bytesTo(psn, mtu))
}
