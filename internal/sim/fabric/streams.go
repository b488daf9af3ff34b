package fabric

import (
	"fmt"

	"weft/internal/sim/transport"
	"weft/units"
)

// StreamKind is who sends in a stream, and who gets its results.
type StreamKind uint8

// The kinds of streams.
const (
	// StreamAll: all members send the same packets in the same order, and each gets the
	// sum of every packet (all-reduce).
	StreamAll StreamKind = iota
	// StreamOne: the same, and the sums of a message go to one member alone, the NIC
	// that RemoteVA of the work requests names (reduce-scatter).
	StreamOne
	// StreamCopy: each member sends what it likes, with its own NIC as RemoteVA, and all
	// get it (all-gather). Messages pass each switch whole, one after the other, so that
	// each member gets the same messages in the same order.
	StreamCopy
)

// stream is an ordered sequence of reductions, or of copies, on a tree.
type stream struct {
	tree int
	kind StreamKind
	ends map[int32]units.QPN // by NIC: where results go
	next map[int32]units.PSN // by NIC: of its next result; of copies those of all under -1
	down map[[2]int32]int32  // by switch and NIC: the child's port on the way
	turn map[int32]*turns    // of copies, by switch
}

// at is a switch's place in the stream's tree.
func (s *stream) at(n *Network, node int32) *TreeSwitch { return n.aggregation.trees[s.tree][node] }

// Stream begins a sequence of reductions on a tree, before the run or in it.
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

// Join makes a NIC a member of a stream and gives the queue pairs by which it
// sends and gets results. All NICs below the tree must join before a result comes out.
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

// way notes the ports from the root down to a NIC, which is at the near end of a link
// up.
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

// number gives a result the PSN that those who get it expect. Contributions to a sum
// that all get have it already.
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
