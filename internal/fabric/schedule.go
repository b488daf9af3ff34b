package fabric

import "math/bits"

// Schedule orders the priorities of an Ethernet egress port.
type Schedule struct {
	// Strict has a bit for each priority that goes before all others, the
	// highest number first.
	Strict uint16
	// Weights are the quanta in bytes of deficit weighted round robin
	// (Shreedhar and Varghese, SIGCOMM 1995) among the other priorities. A
	// priority of weight 0 sends one packet a round.
	Weights [8]int32
}

// roundRobin is the state of deficit round robin at one port.
type roundRobin struct {
	deficit [8]int32
	at      uint8
}

// schedule chooses among the classes that are ready; there are at least two.
func (p *Partition) schedule(s *Schedule, link int32, ready uint16) uint8 {
	if strict := ready & s.Strict; strict != 0 {
		return uint8(bits.Len16(strict) - 1)
	}
	r := &p.net.rounds[link]
	for {
		if ready>>r.at&1 != 0 {
			q := &p.net.egress[int(link)*p.net.classes+int(r.at)]
			size := int32(p.pool.hot[q.packets.head].size)
			if r.deficit[r.at] >= size {
				r.deficit[r.at] -= size
				return r.at
			}
		} else {
			r.deficit[r.at] = 0
		}
		r.at = (r.at + 1) % 8
		if w := s.Weights[r.at]; w > 0 {
			r.deficit[r.at] += w
		} else if ready>>r.at&1 != 0 {
			q := &p.net.egress[int(link)*p.net.classes+int(r.at)]
			r.deficit[r.at] = int32(p.pool.hot[q.packets.head].size)
		}
	}
}
