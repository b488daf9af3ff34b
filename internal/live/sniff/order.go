package sniff

import "weft/units"

// sequence follows the PSNs of one direction. It separates overtaken packets from retransmitted
// ones.
type sequence struct {
	started bool
	next    units.PSN // expected
	holes   []hole    // runs of PSNs before next that were not seen, in order
	back    bool      // the sender repeats PSNs that were seen
}

// hole is a run of PSNs that were skipped.
type hole struct {
	first   units.PSN
	n       int32
	timeNs  int64 // when it was skipped
	refused bool  // the responder has since asked for it again
	gap     *gap
}

// gap is the run of PSNs that one packet skipped, including the parts filled since.
type gap struct {
	left   int32 // packets
	resent bool  // one of them was retransmitted
}

// skip notes the PSNs from next up to a packet that came ahead of them.
func (s *sequence) skip(psn units.PSN, timeNs int64) {
	if len(s.holes) == maxHoles {
		s.holes = s.holes[1:]
	}
	n := psn.Sub(s.next)
	s.holes = append(s.holes, hole{first: s.next, n: n, timeNs: timeNs, gap: &gap{left: n}})
}

// behind judges a packet behind the expected PSN. It is Reordered if its PSN is seen for the first
// time, soon after it was skipped, and nothing shows that the sender went back: no NAK asked for
// it, and no packet before it was sent again. Otherwise it is a Retransmission: of a packet that
// was seen, or of a packet lost before the capture. whole says that this packet closes a gap whose
// packets were all only overtaken: nothing was lost there.
func (s *sequence) behind(psn units.PSN, timeNs int64) (what Anomaly, whole bool) {
	for i := range s.holes {
		h := &s.holes[i]
		at := psn.Sub(h.first)
		if at < 0 || at >= h.n {
			continue
		}
		late := timeNs-h.timeNs > reorderNs || h.refused || s.back
		g := h.gap
		s.fill(i, at)
		g.left--
		if late {
			g.resent = true
			return Retransmission, false
		}
		return Reordered, g.left == 0 && !g.resent
	}
	s.back = true
	return Retransmission, false
}

// fill removes a PSN from a hole. Parts of the hole may remain on both sides.
func (s *sequence) fill(i int, at int32) {
	h := s.holes[i]
	left, right := h, h
	left.n = at
	right.first, right.n = h.first.Add(at+1), h.n-at-1
	rest := append([]hole(nil), s.holes[i+1:]...)
	s.holes = s.holes[:i]
	for _, part := range []hole{left, right} {
		if part.n > 0 {
			s.holes = append(s.holes, part)
		}
	}
	s.holes = append(s.holes, rest...)
	if extra := len(s.holes) - maxHoles; extra > 0 {
		s.holes = s.holes[extra:]
	}
}

// refuse notes that the responder asks for all packets from a PSN on again.
func (s *sequence) refuse(psn units.PSN) {
	for i := range s.holes {
		if h := &s.holes[i]; psn.Sub(h.first) < h.n {
			h.refused = true
		}
	}
}
