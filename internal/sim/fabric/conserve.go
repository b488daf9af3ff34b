package fabric

// audit is a network whose run is over, and whose invariants are checked.
type audit struct{ *Network }

// conserved compares the counters of the network with its content at the end of a run: packets,
// and, if the network is empty, credits as well.
func (n audit) conserved() error {
	last := n.parts[0]
	s := n.Stats()
	gone := s.Delivered
	for _, d := range s.Dropped {
		gone += d
	}
	live, mailed := n.inside()
	if s.Injected != gone+live {
		return &Breach{"packets in = packets out + dropped + in flight", "the network", last.now, s.Injected, gone + live}
	}
	if live > 0 || mailed > 0 {
		return nil
	}
	if s.InBytes != s.OutBytes+s.LostBytes {
		return &Breach{"bytes in = bytes out + dropped", "the network", last.now, s.InBytes, s.OutBytes + s.LostBytes}
	}
	return n.creditsConserved()
}

// inside counts the packets in the network, including packets between simulation partitions, and
// the credit updates between partitions. Messages of the last window have not been collected;
// messages of the window before have, although they are still in the mailbox.
func (n *Network) inside() (packets, updates int64) {
	for _, p := range n.parts {
		packets += int64(p.pool.live)
		for i := range p.outgoing().to {
			b := &p.outgoing().to[i]
			packets += int64(len(b.packets))
			updates += int64(len(b.credits))
		}
	}
	return packets, updates
}

// creditsConserved checks, in an empty network, that every sender has the credits for all of its
// receiver's buffer, either available or in updates in flight.
func (n audit) creditsConserved() error {
	for index := range n.lanes {
		l := &n.lanes[index]
		link := int32(index / n.classes)
		if n.creditLinks[link].Period == 0 {
			continue // its receiver counts no credits
		}
		sum := l.Available + int32(n.updatesOf(link, int32(index)).Total-l.Known)
		if sum != l.Granted {
			return &Breach{"credits = receiver's buffer", n.LinkName(link), n.parts[0].now, int64(sum), int64(l.Granted)}
		}
		if held := n.accounts[index].Held; held != 0 {
			return &Breach{"an empty network holds nothing", n.LinkName(link), n.parts[0].now, int64(held), 0}
		}
	}
	return nil
}
