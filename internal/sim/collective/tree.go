package collective

// tree is NCCL's tree of a channel over all ranks (connectTrees in src/graph/connect.cc). Over the
// nodes it is a tree of dtree: the first half of the channels uses one, the second half the other.
// Inside a node it is a chain from the head, the GPU beside the channel's rail. The head alone
// communicates with other nodes (NCCL_TOPO_PATTERN_TREE, which Hopper and later use).
type tree struct {
	l    Layout
	head int
	rail int
	tree int
}

func (l Layout) tree(channel, channels int) tree {
	t := tree{l: l, rail: channel % l.Rails()}
	t.head = l.RailGPU(t.rail)
	if channel >= (channels+1)/2 {
		t.tree = 1
	}
	return t
}

// kin is a rank's parent, or −1, and its children.
type kin struct {
	up    int
	down  [3]int
	downs int
}

func (k *kin) add(rank int) {
	k.down[k.downs] = rank
	k.downs++
}

// of is the neighbourhood of a rank.
func (t tree) of(rank int) kin {
	node, local, p := t.l.Node(rank), t.l.Local(rank), t.l.PerNode
	place := mod(t.head-local, p) // in the chain
	k := kin{up: -1}
	if place > 0 {
		k.up = node*p + (local+1)%p
	} else {
		v := dtree(t.l.Nodes, node, t.tree)
		if v.up >= 0 {
			k.up = v.up*p + t.head
		}
		for _, d := range v.down {
			if d >= 0 {
				k.add(d*p + t.head)
			}
		}
	}
	if place < p-1 {
		k.add(node*p + mod(local-1, p))
	}
	return k
}

func (t tree) transfer(from, to, peerStep int, lo, hi int64) Transfer {
	x := Transfer{Peer: int32(to), PeerStep: int32(peerStep), Bytes: hi - lo, Src: lo, Dst: lo}
	if t.l.Node(from) != t.l.Node(to) {
		x.Rail = int16(t.rail + 1)
	}
	return x
}

// depth is the number of hops from the farthest leaf to the root, as NCCL counts it.
func (l Layout) depth() int { return l.PerNode - 1 + log2(l.Nodes) }

// treeWindow keeps a tree's pipeline full in one direction: in NCCL every hop has at most as many
// chunks in flight as a connection has slots.
func treeWindow(l Layout) int { return Slots * max(l.depth(), 1) }

// treeAllReduce reduces up the tree and sends the result down, chunk by chunk (runTreeSplit,
// src/device/all_reduce.h). Every chunk is a lane of three steps: receive from the children; send
// to the parent and receive the result; send it to the children.
type treeAllReduce struct {
	cut
	l Layout
}

func newTreeAllReduce(s Spec) (Program, error) {
	c, err := newCut(s, s.Bytes, s.chunk(TreeChunk), 1, 2*treeWindow(s.Layout)) // up and down
	return &treeAllReduce{cut: c, l: s.Layout}, err
}

func (p *treeAllReduce) Ranks() int { return p.l.Ranks() }

func (p *treeAllReduce) Step(rank, lane, k int, s *Step) bool {
	s.reset()
	lo, hi, _ := p.loop(lane)
	if k > 2 || lo == hi || p.Ranks() == 1 {
		return false
	}
	t := p.l.tree(lane%p.channels, p.channels)
	kin := t.of(rank)
	switch k {
	case 0:
		for range kin.downs {
			s.recv(hi - lo)
		}
		s.Reduce = kin.downs > 0
	case 1:
		if kin.up >= 0 {
			s.send(t.transfer(rank, kin.up, 0, lo, hi))
			s.recv(hi - lo)
		}
	case 2:
		for _, child := range kin.down[:kin.downs] {
			s.send(t.transfer(rank, child, 1, lo, hi))
		}
	}
	return true
}
