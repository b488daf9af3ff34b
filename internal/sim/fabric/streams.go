package fabric

import (
	"fmt"

	"weft/internal/sim/transport"
	"weft/units"
)

// StreamKind is the kind of a stream: the senders, and the receivers of its results.
type StreamKind uint8

// The kinds of streams.
const (
	// StreamAll: all members send the same packets in the same order, and each gets the
	// sum of every packet (all-reduce).
	StreamAll StreamKind = iota
	// StreamOne: the same senders, and the sums of a message go to one member alone, the NIC in
	// RemoteVA of the work requests (reduce-scatter).
	StreamOne
	// StreamCopy: each member sends independently, with its own NIC as RemoteVA, and all get a copy
	// (all-gather). Messages pass each switch completely, one after the other, so that each member
	// gets the same messages in the same order.
	StreamCopy
)

// stream is an ordered sequence of reductions, or of copies, on a tree.
type stream struct {
	tree int
	kind StreamKind
	ends map[int32]units.QPN // by NIC: queue pair for results
	next map[int32]units.PSN // by NIC: PSN of its next result; for copies under -1, common to all
	down map[[2]int32]int32  // by switch and NIC: the port to the child on the path
	turn map[int32]*turns    // for copies, by switch
}

// at is a switch's node in the stream's tree.
func (s *stream) at(n *Network, node int32) *TreeSwitch { return n.aggregation.trees[s.tree][node] }

// Stream begins a sequence of reductions on a tree, before or during the run.
func (n *Network) Stream(tree int, kind StreamKind) (stream int) {
	n.aggregation.streams = append(n.aggregation.streams, newStream(tree, kind))
	return len(n.aggregation.streams) - 1
}

func newStream(tree int, kind StreamKind) stream {
	return stream{
		tree: tree, kind: kind, ends: make(map[int32]units.QPN), next: make(map[int32]units.PSN),
		down: make(map[[2]int32]int32), turn: make(map[int32]*turns),
	}
}

// Join makes a NIC a member of a stream and returns the queue pairs for sending and for results.
// All NICs below the tree must join before a result appears. Their P_Keys must be of one partition.
func (n *Network) Join(stream int, nic int32, c Connection) (send, receive units.QPN, err error) {
	s := &n.aggregation.streams[stream]
	if _, twice := s.ends[nic]; twice {
		return 0, 0, fmt.Errorf("%s is in the stream already", n.names[nic])
	}
	leaf := n.inboxes[n.nodes[nic].base+c.Port].node
	if s.at(n, leaf) == nil {
		return 0, 0, fmt.Errorf("%s, to which %s is connected, is not in the tree", n.names[leaf], n.names[nic])
	}
	s.way(n, nic, n.nodes[nic].base+c.Port)
	c.Service, c.CC, c.Entropy = transport.UC, nil, uint32(stream)
	send, receive, err = n.Connect(nic, nic, c, c)
	if err != nil {
		return 0, 0, err
	}
	n.nicOf(nic).flows.at(send).role = roleContribution
	s.ends[nic] = receive
	return send, receive, nil
}

// way records the ports from the root down to a NIC at the near end of a link up.
func (s *stream) way(n *Network, nic, up int32) {
	for {
		sw := n.inboxes[up].node
		s.down[[2]int32{sw, nic}] = n.back[up] - n.nodes[sw].base
		t := s.at(n, sw)
		if t.Parent < 0 {
			return
		}
		up = n.nodes[sw].base + t.Parent
	}
}

// towards is the port of a switch on the way to a NIC.
func (s *stream) towards(n *Network, sw, nic int32) int32 {
	port, known := s.down[[2]int32{sw, nic}]
	if !known {
		panic(fmt.Sprintf("fabric: a result for %s, which is not in the stream", n.names[nic]))
	}
	return port
}

// number gives a result the PSN that its receivers expect. Contributions to a sum for all members
// have it already.
func (s *stream) number(h *transport.Packet) {
	to := int32(-1)
	switch s.kind {
	case StreamAll:
		return
	case StreamOne:
		to = int32(h.VA)
	}
	h.PSN = s.next[to]
	s.next[to] = s.next[to].Add(1)
}
