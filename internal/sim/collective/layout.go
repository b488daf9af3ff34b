package collective

import "fmt"

// Layout is the numbering of a cluster's ranks: node by node, rank = node·PerNode + local, one rank
// per GPU.
type Layout struct {
	Nodes   int
	PerNode int // GPUs of a node
	NICs    int // NICs of a node, each on the same rail in every node; 0 is one per GPU
	Stripe  int // NICs beside each other that make one rail, and share its messages; 0 is 1
	// OwnRails has each end of a message between two nodes use the NIC of its own GPU: NCCL without
	// PXN (NCCL_PXN_DISABLE). With PXN both ends use the receiver's rail.
	OwnRails bool
}

// Ranks is the number of ranks.
func (l Layout) Ranks() int { return l.Nodes * l.PerNode }

// Node is the node of a rank.
func (l Layout) Node(rank int) int { return rank / l.PerNode }

// Local is a rank's number inside its node.
func (l Layout) Local(rank int) int { return rank % l.PerNode }

// Rails is the number of NICs of a node, or of their stripes.
func (l Layout) Rails() int {
	if l.NICs == 0 {
		return l.PerNode
	}
	return l.NICs / max(l.Stripe, 1)
}

// RailGPU is the local number of the GPU beside a NIC; if several GPUs share a NIC, of the first of
// them. NICs and GPUs are assigned to each other in order and as evenly as their numbers allow: 12
// NICs on 8 GPUs are 2 1 1 2 2 1 1 2 of each.
func (l Layout) RailGPU(rail int) int {
	if rails := l.Rails(); rails < l.PerNode {
		return (rail*l.PerNode + rails - 1) / rails // the smallest GPU whose own NIC it is
	}
	return rail * l.PerNode / l.Rails()
}

// NICsOf is the first of a GPU's own NICs and their number. With fewer NICs than GPUs, several GPUs
// have the same NIC.
func (l Layout) NICsOf(local int) (first, count int) {
	rails := l.Rails()
	if rails <= l.PerNode {
		return local * rails / l.PerNode, 1
	}
	first = (local*rails + l.PerNode - 1) / l.PerNode // the smallest r with RailGPU(r) ≥ local
	return first, ((local+1)*rails+l.PerNode-1)/l.PerNode - first
}

// Rail is the NIC that a GPU uses for a channel: its own; a GPU with several NICs uses them in
// turn.
func (l Layout) Rail(local, channel int) int {
	first, own := l.NICsOf(local)
	return first + channel%own
}

func (l Layout) check() error {
	if l.Nodes < 1 || l.PerNode < 1 || l.NICs < 0 {
		return fmt.Errorf("collective: a cluster of %d nodes with %d GPUs and %d NICs each does not exist", l.Nodes, l.PerNode, l.NICs)
	}
	if l.Ranks() > MaxRanks {
		return fmt.Errorf("collective: %d nodes with %d GPUs are more than %d ranks", l.Nodes, l.PerNode, MaxRanks)
	}
	return nil
}

// ring is the order of one channel's ring. Inside a node it goes down by one from the GPU beside
// the channel's rail, 0 7 6 5 4 3 2 1 for channel 0 of a DGX (the log in NVIDIA/nccl issue 1453),
// so it leaves the node from the GPU after the one where it enters. Both ends of a hop between
// nodes must be on one rail. NCCL has two ways to do so:
//
//   - If each GPU has NICs of its own, GPUs are paired, a node's ring enters
//     at one of a pair and leaves at the other, and odd nodes go the other way
//     round (crossNic 2, "Alternate rings to avoid crossing rails",
//     ncclTopoPostset in src/graph/connect.cc). With an odd number of nodes
//     one hop, from the last node to the first, does cross rails.
//   - Otherwise the last GPU of a node shares the NIC of the first, or
//     reaches it over the scale-up network (PXN).
type ring struct {
	l         Layout
	head      int // local number of the first GPU in even nodes
	rail      int
	alternate bool
}

func (l Layout) ring(channel int) ring {
	rail := channel % l.Rails()
	return ring{
		l:         l,
		head:      l.RailGPU(rail),
		rail:      rail,
		alternate: l.Nodes > 1 && l.PerNode%2 == 0 && l.Rails()%l.PerNode == 0,
	}
}

// entry is the local number of the first GPU of a node, and true if the order goes up from there.
func (r ring) entry(node int) (local int, up bool) {
	local = r.head
	if !r.alternate {
		return local, false
	}
	if node%2 == 1 {
		local ^= 1
	}
	return local, local%2 == 1
}

// index is a rank's position in the ring.
func (r ring) index(rank int) int {
	node, local := r.l.Node(rank), r.l.Local(rank)
	first, up := r.entry(node)
	if !up {
		local, first = first, local
	}
	return node*r.l.PerNode + mod(local-first, r.l.PerNode)
}

// at is the rank at a position, modulo the number of ranks.
func (r ring) at(index int) int {
	index = mod(index, r.l.Ranks())
	node, i := r.l.Node(index), r.l.Local(index)
	first, up := r.entry(node)
	if !up {
		i = -i
	}
	return node*r.l.PerNode + mod(first+i, r.l.PerNode)
}

// hop is the value of Transfer.Rail between a rank and its successor in the ring.
func (r ring) hop(from, to int) int16 {
	if r.l.Node(from) == r.l.Node(to) {
		return 0
	}
	if !r.alternate {
		return int16(r.rail + 1)
	}
	if r.l.Local(from) != r.l.Local(to) {
		return 0
	}
	return int16(r.rail + (r.l.Local(from)-r.head)*(r.l.Rails()/r.l.PerNode) + 1)
}

// send is the transfer of [lo, hi) from a rank to its successor in the ring.
func (r ring) send(from, to, peerStep int, lo, hi int64) Transfer {
	return Transfer{Peer: int32(to), PeerStep: int32(peerStep), Bytes: hi - lo, Rail: r.hop(from, to), Src: lo, Dst: lo}
}

// mod is a modulo n, never negative.
func mod(a, n int) int {
	if a %= n; a < 0 {
		a += n
	}
	return a
}
