package isolation

// Segments are the VLANs and VRFs of an Ethernet fabric: the segment of each NIC, and the routes
// between segments. A NIC's switch looks a packet up in the table of the segment of its input port,
// whatever the packet's header; if there is no route to the receiver's segment, the packet is
// discarded and counted.
type Segments struct {
	Of    []uint16 // by NIC
	Reach [][]bool // by segment of the sender and of the receiver
}

// HasRoute reports whether a NIC's segment has a route to that of another.
func (s *Segments) HasRoute(from, to int32) bool { return s.Reach[s.Of[from]][s.Of[to]] }
