package fabric

// turns is the order in which a switch passes messages that are to be copied: one whole
// message after the other, so that none is held up by the pace at which another comes.
type turns struct {
	nic  int32             // whose message passes; -1 if none
	held map[int32][]int32 // by NIC: packets that wait for their turn
	line []int32           // the NICs that have some, in the order of their first
}

// inUnit is a packet's place behind the aggregation unit of a switch.
type inUnit struct {
	node *node
	tree *TreeSwitch
	link int32 // from the unit
	id   uint32
}

// inTurn passes a packet, and what waited for it, or keeps it until its message has its
// turn.
func (s *stream) inTurn(p *Partition, at *inUnit, i int32) {
	t := s.turn[at.tree.Switch]
	if t == nil {
		t = &turns{nic: -1, held: make(map[int32][]int32)}
		s.turn[at.tree.Switch] = t
	}
	nic := int32(p.pool.cold[i].VA)
	if t.nic >= 0 && t.nic != nic {
		if len(t.held[nic]) == 0 {
			t.line = append(t.line, nic)
		}
		t.held[nic] = append(t.held[nic], i)
		return
	}
	t.pass(p, at, i)
	for t.nic < 0 && len(t.line) > 0 {
		t.passHeld(p, at, t.line[0])
	}
}

// passHeld passes what the first in the line has of a message; with another one behind
// it the NIC lines up again.
func (t *turns) passHeld(p *Partition, at *inUnit, nic int32) {
	t.line = t.line[:copy(t.line, t.line[1:])]
	waiting, passed := t.held[nic], 0
	for passed == 0 || t.nic >= 0 && passed < len(waiting) {
		t.pass(p, at, waiting[passed])
		passed++
	}
	t.held[nic] = waiting[:copy(waiting, waiting[passed:])]
	if len(t.held[nic]) > 0 {
		t.line = append(t.line, nic)
	}
}

// pass passes a packet; the last of a message ends its turn.
func (t *turns) pass(p *Partition, at *inUnit, i int32) {
	h := &p.pool.cold[i]
	t.nic = int32(h.VA)
	if h.Offset+h.Length == h.DMALen {
		t.nic = -1
	}
	p.onward(at, i)
}
