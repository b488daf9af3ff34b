package fabric

// Segments are the VLANs and VRFs of an Ethernet fabric: the segment of each NIC, and the routes
// between segments. A NIC's switch looks a packet up in the table of the segment of its input port,
// whatever the packet's header; if there is no route to the receiver's segment, the packet is
// discarded and counted.
type Segments struct {
	Of    []uint16 // by NIC
	Reach [][]bool // by segment of the sender and of the receiver
}

// unrouted reports whether a packet from a NIC has no route in the sender's segment, and then
// discards it. The packet has not been admitted to a buffer yet.
func (nd *node) unrouted(p *Partition, link, i int32) bool {
	n := p.net
	if nd.local != byTables {
		return false
	}
	from, to := n.nicBehind(n.ports[link].node), p.pool.hot[i].dst
	if from < 0 || n.segments.Reach[n.segments.Of[from]][n.segments.Of[to]] {
		return false
	}
	p.stray(n.inboxes[link].back, from, to)
	p.dropFrom(link, i, DropSegment)
	return true
}

// stray counts a packet without a route at its input port.
func (p *Partition) stray(port, from, to int32) {
	at := &p.net.offences[port]
	for j := range *at {
		if o := &(*at)[j]; o.From == from && o.To == to {
			o.Packets++
			return
		}
	}
	if len(*at) < maxOffenders {
		*at = append(*at, Violation{First: p.now, Packets: 1, From: from, To: to, port: port})
	}
}
