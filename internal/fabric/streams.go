package fabric

import (
	"fmt"

	"weft/internal/transport"
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
	// get it (all-gather). Messages pass the root whole, one after the other, so that
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
	turn int32               // of copies: the NIC whose message passes the root; -1 if none
	held map[int32][]int32   // by NIC: packets at the root that wait for their turn
	line []int32             // the NICs that have some, in the order of their first
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
		tree: tree, kind: kind, turn: -1, ends: make(map[int32]units.QPN), next: make(map[int32]units.PSN),
		down: make(map[[2]int32]int32), held: make(map[int32][]int32),
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
	n.nics[n.nodes[nic].state].flows[send].role = roleContribution
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

// atRoot is where results begin their way down.
type atRoot struct {
	node *node
	tree *TreeSwitch
	link int32 // from the aggregation unit
	id   uint32
}

// inTurn passes a packet at the root, and what waited for it, or keeps it until its
// message has its turn.
func (s *stream) inTurn(p *Partition, at *atRoot, i int32) {
	nic := int32(p.pool.cold[i].VA)
	if s.turn >= 0 && s.turn != nic {
		if len(s.held[nic]) == 0 {
			s.line = append(s.line, nic)
		}
		s.held[nic] = append(s.held[nic], i)
		return
	}
	s.pass(p, at, i)
	for s.turn < 0 && len(s.line) > 0 {
		s.passHeld(p, at, s.line[0])
	}
}

// passHeld passes what the first in the line has of a message; with another one behind
// it the NIC lines up again.
func (s *stream) passHeld(p *Partition, at *atRoot, nic int32) {
	s.line = s.line[:copy(s.line, s.line[1:])]
	waiting, passed := s.held[nic], 0
	for passed == 0 || s.turn >= 0 && passed < len(waiting) {
		s.pass(p, at, waiting[passed])
		passed++
	}
	s.held[nic] = waiting[:copy(waiting, waiting[passed:])]
	if len(s.held[nic]) > 0 {
		s.line = append(s.line, nic)
	}
}

// pass passes a packet; the last of a message ends its turn.
func (s *stream) pass(p *Partition, at *atRoot, i int32) {
	h := &p.pool.cold[i]
	s.turn = int32(h.VA)
	if h.Offset+h.Length == h.DMALen {
		s.turn = -1
	}
	p.result(at, i)
}
