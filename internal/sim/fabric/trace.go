package fabric

import "weft/units"

// PacketTrace follows packets from port to port. A network without one pays
// for a comparison with nil when a packet goes on a wire and one when it lands.
type PacketTrace interface {
	// Sent is called when a port puts a packet on its wire.
	Sent(s *Sighting)
	// Landed is called when a packet has come to the end of a link and through
	// the fixed pipeline behind it. What landed at a NIC is handed to the
	// transport in the same instant.
	Landed(s *Sighting)
}

// Follow has a trace follow packets, each partition's in the order of events. It
// is called before anything is posted. A network of several partitions calls the
// trace from each of them.
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
	Link int32 // that it is on
	From int32 // node that sends on the link
	To   int32 // node at its end

	// Of the packet, what tells it from others: who it is bound for, the
	// number of its flow's end there, its PSN or its place in the stream, and
	// whether it is data or an answer.
	Dst      int32
	Flow     uint32
	Sequence uint64
	Reply    bool
	Bytes    units.Bytes // on the wire

	// Of Sent alone: when the first bit goes and when the last has gone; what
	// follows until it lands; and whether that counts from the last bit, at
	// store-and-forward, or from the first, at cut-through.
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

// sent tells the trace of a packet that goes on a wire.
func (p *Partition) sent(link, i int32, start, end units.Time) {
	o := &p.net.ports[link]
	s := p.sighting(link, i)
	s.Start, s.End, s.FromLastBit = start, end, o.flags&flagTail != 0
	s.Propagation = p.net.propagation[link]
	s.Pipeline = units.Time(o.delay) - s.Propagation
	p.net.packets.Sent(&s)
}

// landed tells the trace of a packet that has come to the end of a link.
func (p *Partition) landed(link, i int32) {
	s := p.sighting(link, i)
	p.net.packets.Landed(&s)
}
