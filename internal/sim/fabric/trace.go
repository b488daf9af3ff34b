package fabric

import "weft/units"

// PacketTrace follows packets from port to port. Without a trace, a network pays one comparison
// with nil when a packet is sent and one when it arrives.
type PacketTrace interface {
	// Sent is called when a port puts a packet on its wire.
	Sent(s *Sighting)
	// Landed is called when a packet has arrived at the end of a link and passed the fixed pipeline
	// behind it. A packet at a NIC reaches the transport in the same instant.
	Landed(s *Sighting)
}

// Follow sets a trace for packets, in the order of events within each simulation partition. It is
// called before anything is posted. A network of several partitions calls the trace from each of
// them.
func (n *Network) Follow(t PacketTrace) {
	n.packets, n.examined = t, true
	for link := range n.ports {
		n.ports[link].flags |= flagFollowed
	}
	n.join()
}

// Sighting is a packet at a port.
type Sighting struct {
	Now  units.Time
	Link int32 // its link
	From int32 // sending node of the link
	To   int32 // receiving node of the link

	// Identity of the packet: its destination node, its flow's number there, its PSN or its offset
	// in the stream, and whether it is data or an answer.
	Dst      int32
	Flow     uint32
	Sequence uint64
	Reply    bool
	Bytes    units.Bytes // on the wire

	// Only for Sent: the times of the first and the last bit; the delay until the arrival; and true
	// if the delay counts from the last bit (store-and-forward), false if from the first
	// (cut-through).
	Start, End            units.Time
	Propagation, Pipeline units.Time
	FromLastBit           bool
}

// sighting is packet i on a link.
func (p *Partition) sighting(link, i int32) Sighting {
	n, k := p.net, &p.pool.hot[i]
	s := Sighting{
		Now: p.now, Link: link, From: n.ports[link].node, To: n.inboxes[link].node,
		Dst: k.dst, Reply: k.role == roleReply, Bytes: units.Bytes(k.size),
	}
	if p.pool.segs != nil {
		seg := p.pool.segment(i)
		s.Flow, s.Sequence = seg.Conn, seg.Seq
	} else {
		h := &p.pool.cold[i]
		s.Flow, s.Sequence = uint32(h.DestQP), uint64(h.PSN)
	}
	return s
}

// sent reports a packet on a wire to the trace.
func (p *Partition) sent(link, i int32, start, end units.Time) {
	o := &p.net.ports[link]
	s := p.sighting(link, i)
	s.Start, s.End, s.FromLastBit = start, end, o.flags&flagTail != 0
	s.Propagation = p.net.propagation[link]
	s.Pipeline = units.Time(o.delay) - s.Propagation
	p.net.packets.Sent(&s)
}

// landed reports a packet at the end of a link to the trace.
func (p *Partition) landed(link, i int32) {
	s := p.sighting(link, i)
	p.net.packets.Landed(&s)
}
