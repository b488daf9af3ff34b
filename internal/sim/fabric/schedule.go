package fabric

import "math/bits"

// Schedule orders the priorities of an Ethernet egress port.
type Schedule struct {
	// Strict has a bit for each priority that goes before all others, the highest number first.
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

// pick chooses among the ready classes; there are at least two.
func (s *Schedule) pick(p *Partition, link int32, ready uint16) uint8 {
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

// surplus chooses among the classes of a NIC's port by surplus round robin: a class may continue
// until it has used up its quantum, whatever the length of its next packet, which is unknown before
// a queue pair is asked for it. A class that overdraws has less in the next round. A class pays
// neither for packets that it sends while it is the only one, nor for replies that go before all
// data.
func (r *roundRobin) surplus(s *Schedule, ready uint16) uint8 {
	if strict := ready & s.Strict; strict != 0 {
		return uint8(bits.Len16(strict) - 1)
	}
	for {
		if ready>>r.at&1 != 0 && r.deficit[r.at] > 0 {
			return r.at
		}
		r.at = (r.at + 1) % 8
		if ready>>r.at&1 == 0 {
			r.deficit[r.at] = 0
			continue
		}
		if w := s.Weights[r.at]; w > 0 {
			r.deficit[r.at] += w
		} else {
			r.deficit[r.at] += unweighted
		}
	}
}

// unweighted is the quantum of a class of weight 0: about a packet.
const unweighted = 4096

// charge subtracts the data bytes of a class from its quantum, if other classes are ready.
func (s *Schedule) charge(p *Partition, link int32, class uint8, bytes int64) {
	n := p.net
	if s.Strict>>class&1 == 0 && !n.nicQueues[int(link)*n.classes+int(class)].turn {
		n.rounds[link].deficit[class] -= int32(bytes)
	}
}
