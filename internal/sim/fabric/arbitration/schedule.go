package arbitration

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

// RoundRobin is the state of deficit round robin at one port.
type RoundRobin struct {
	deficit [8]int32
	turn    uint8 // the priority that is being served
}

// Pick chooses among the ready priorities of a switch's port; there are at least two. headSize is the
// length of the packet at the head of a priority's queue.
func (r *RoundRobin) Pick(s *Schedule, ready uint16, headSize func(class uint8) int32) uint8 {
	if strict := ready & s.Strict; strict != 0 {
		return uint8(bits.Len16(strict) - 1)
	}
	for {
		if ready>>r.turn&1 != 0 {
			if size := headSize(r.turn); r.deficit[r.turn] >= size {
				r.deficit[r.turn] -= size
				return r.turn
			}
		} else {
			r.deficit[r.turn] = 0
		}
		r.turn = (r.turn + 1) % 8
		if w := s.Weights[r.turn]; w > 0 {
			r.deficit[r.turn] += w
		} else if ready>>r.turn&1 != 0 {
			r.deficit[r.turn] = headSize(r.turn)
		}
	}
}

// PickSurplus chooses among the classes of a NIC's port by surplus round robin: a class may continue
// until it has used up its quantum, whatever the length of its next packet, which is unknown before
// a queue pair is asked for it. A class that overdraws has less in the next round. A class pays
// neither for packets that it sends while it is the only one, nor for replies that go before all
// data.
func (r *RoundRobin) PickSurplus(s *Schedule, ready uint16) uint8 {
	if strict := ready & s.Strict; strict != 0 {
		return uint8(bits.Len16(strict) - 1)
	}
	for {
		if ready>>r.turn&1 != 0 && r.deficit[r.turn] > 0 {
			return r.turn
		}
		r.turn = (r.turn + 1) % 8
		if ready>>r.turn&1 == 0 {
			r.deficit[r.turn] = 0
			continue
		}
		if w := s.Weights[r.turn]; w > 0 {
			r.deficit[r.turn] += w
		} else {
			r.deficit[r.turn] += unweighted
		}
	}
}

// unweighted is the quantum of a class of weight 0: about a packet.
const unweighted = 4096

// Charge subtracts the data bytes of a priority from its quantum at a NIC's port.
func (r *RoundRobin) Charge(s *Schedule, class uint8, bytes int64) {
	if s.Strict>>class&1 == 0 {
		r.deficit[class] -= int32(bytes)
	}
}
