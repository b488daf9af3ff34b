package reduction

// Turns is the order in which a switch forwards messages for copying: one whole message after the
// other, so that the pace of one message does not delay another.
type Turns struct {
	nic  int32             // NIC of the current message; -1 if none
	held map[int32][]int32 // by NIC: packets that wait for their turn
	line []int32           // the NICs with waiting packets, in the order of their first
}

// Admit reports whether a packet of a NIC's message has its turn; else it holds the packet.
func (t *Turns) Admit(nic, packet int32) bool {
	if t.nic < 0 || t.nic == nic {
		return true
	}
	if len(t.held[nic]) == 0 {
		t.line = append(t.line, nic)
	}
	t.held[nic] = append(t.held[nic], packet)
	return false
}

// Forward notes that a packet of a NIC's message is forwarded; the last packet ends the message's turn.
// If the NIC has another message behind, it lines up again.
func (t *Turns) Forward(nic int32, last bool) {
	t.nic = nic
	if !last {
		return
	}
	t.nic = -1
	if len(t.held[nic]) > 0 {
		t.line = append(t.line, nic)
	}
}

// Next is the next held packet that has its turn now, which is held no longer; -1 if there is none.
func (t *Turns) Next() (packet int32) {
	nic := t.nic
	if nic < 0 && len(t.line) > 0 {
		nic = t.line[0]
		t.line = t.line[:copy(t.line, t.line[1:])]
	}
	held := t.held[nic]
	if len(held) == 0 {
		return -1
	}
	packet = held[0]
	t.held[nic] = held[:copy(held, held[1:])]
	return packet
}
