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

// pick chooses among the classes that are ready; there are at least two.
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

// surplus chooses among the classes of a NIC's port by surplus round robin: a class
// may go on as long as it has not used up its quantum, whatever its next packet's
// length, which is not known before a queue pair is asked for it. Who overdraws has
// less in the next round. What a class sends while it is alone costs it nothing, nor
// do replies that go before all data.
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

// unweighted is the quantum of a class of weight 0: a packet or so.
const unweighted = 4096

// charge takes the bytes of data that a class has sent beside others off its quantum.
func (s *Schedule) charge(p *Partition, link int32, class uint8, bytes int64) {
	n := p.net
	if s.Strict>>class&1 == 0 && !n.nicQueues[int(link)*n.classes+int(class)].turn {
		n.rounds[link].deficit[class] -= int32(bytes)
	}
}
