package reduction

import "weft/units"

// Kind is the kind of a stream: the senders, and the receivers of its results.
type Kind uint8

// The kinds of streams.
const (
	// All: all members send the same packets in the same order, and each gets the
	// sum of every packet (all-reduce).
	All Kind = iota
	// One: the same senders, and the sums of a message go to one member alone, the NIC in
	// RemoteVA of the work requests (reduce-scatter).
	One
	// Copy: each member sends independently, with its own NIC as RemoteVA, and all get a copy
	// (all-gather). Messages pass each switch completely, one after the other, so that each member
	// gets the same messages in the same order.
	Copy
)

// Stream is an ordered sequence of reductions, or of copies, on a tree.
type Stream struct {
	Kind   Kind
	tree   Switches
	queues map[int32]units.QPN // by NIC: queue pair for results
	next   map[int32]units.PSN // by NIC: PSN of its next result; for copies under -1, common to all
	down   map[[2]int32]int32  // by switch and NIC: the port to the child on the path
	turns  map[int32]*Turns    // for copies, by switch
}

// NewStream begins a stream on a tree.
func NewStream(tree Switches, kind Kind) *Stream {
	return &Stream{
		Kind: kind, tree: tree, queues: make(map[int32]units.QPN),
		next: make(map[int32]units.PSN), down: make(map[[2]int32]int32), turns: make(map[int32]*Turns),
	}
}

// Switch is a switch's node in the stream's tree; nil if it is not in it.
func (s *Stream) Switch(node int32) *TreeSwitch { return s.tree[node] }

// HasMember reports whether a NIC is a member.
func (s *Stream) HasMember(nic int32) bool {
	_, known := s.queues[nic]
	return known
}

// AddMember makes a NIC a member, with its queue pair for results.
func (s *Stream) AddMember(nic int32, results units.QPN) { s.queues[nic] = results }

// ResultQueue is the queue pair of a NIC for results.
func (s *Stream) ResultQueue(nic int32) units.QPN { return s.queues[nic] }

// SetPortDown notes the port of a switch on the way down to a NIC.
func (s *Stream) SetPortDown(sw, nic, port int32) { s.down[[2]int32{sw, nic}] = port }

// PortDown is the port of a switch on the way down to a NIC.
func (s *Stream) PortDown(sw, nic int32) (port int32, known bool) {
	port, known = s.down[[2]int32{sw, nic}]
	return port, known
}

// ResultNumber is the PSN that the receivers of a result expect: a NIC for a result of its own, all
// members for a copy. has is false if the packet has it already, as contributions to a sum for all
// members have.
func (s *Stream) ResultNumber(nic int32) (psn units.PSN, has bool) {
	switch s.Kind {
	case All:
		return 0, false
	case Copy:
		nic = -1
	}
	psn = s.next[nic]
	s.next[nic] = psn.Add(1)
	return psn, true
}

// Turns is the order of the stream's messages at a switch.
func (s *Stream) Turns(sw int32) *Turns {
	t := s.turns[sw]
	if t == nil {
		t = &Turns{nic: -1, held: make(map[int32][]int32)}
		s.turns[sw] = t
	}
	return t
}
