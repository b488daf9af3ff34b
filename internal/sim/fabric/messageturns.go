package fabric

// turns is the order in which a switch forwards messages for copying: one whole message after the
// other, so that the pace of one message does not delay another.
type turns struct {
	nic  int32             // NIC of the current message; -1 if none
	held map[int32][]int32 // by NIC: packets that wait for their turn
	line []int32           // the NICs with waiting packets, in the order of their first
}

// inUnit is the place of a packet behind the aggregation unit of a switch.
type inUnit struct {
	node *node
	tree *TreeSwitch
	link int32 // from the unit
	id   uint32
}

// inTurn forwards a packet and the packets that waited for it, or keeps it until its message has
// its turn.
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

// passHeld forwards the held packets of the first NIC in the line; if the NIC has another message
// behind, it lines up again.
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

// pass forwards a packet; the last packet of a message ends its turn.
func (t *turns) pass(p *Partition, at *inUnit, i int32) {
	h := &p.pool.cold[i]
	t.nic = int32(h.VA)
	if h.Offset+h.Length == h.DMALen {
		t.nic = -1
	}
	p.onward(at, i)
}
