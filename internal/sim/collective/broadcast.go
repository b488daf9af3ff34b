package collective

// ringBroadcast passes the vector along the ring from the root, chunk by chunk
// (src/device/broadcast.h of NCCL). Every chunk is a lane of two steps: receive it, pass it on. A
// reduce goes from the rank after the root to the root, and every rank adds its own vector
// (src/device/reduce.h).
type ringBroadcast struct {
	cut
	l       Layout
	root    int
	reduces bool
}

func newRingBroadcast(s Spec) (Program, error) {
	c, err := newCut(s, s.Bytes, s.chunk(SlotBytes), 1, Slots)
	return &ringBroadcast{cut: c, l: s.Layout, root: s.Root, reduces: s.Op == Reduce}, err
}

func (p *ringBroadcast) Ranks() int { return p.l.Ranks() }

func (p *ringBroadcast) Step(rank, lane, k int, s *Step) bool {
	s.reset()
	n := p.Ranks()
	lo, hi, _ := p.loop(lane)
	if k > 1 || lo == hi || n == 1 {
		return false
	}
	r := p.l.ring(lane % p.channels)
	i := r.index(rank)
	first := r.index(p.root)
	if p.reduces {
		first++
	}
	place := mod(i-first, n)
	switch {
	case k == 0 && place > 0:
		s.recv(hi - lo)
		s.Reduce = p.reduces
	case k == 1 && place < n-1:
		s.send(r.send(rank, r.at(i+1), 0, lo, hi))
	}
	return true
}

// treeBroadcast is the two-tree broadcast of Sanders, Speck and Träff: the root's node sends to the
// roots of two complementary trees over all other nodes, half of the channels each. Inside a node
// the data goes along a chain. It starts at the GPU of the channel's rail, or in the root's node at
// the root. NCCL itself has no tree broadcast.
type treeBroadcast struct {
	cut
	l    Layout
	root int
}

func newTreeBroadcast(s Spec) (Program, error) {
	c, err := newCut(s, s.Bytes, s.chunk(TreeChunk), 1, treeWindow(s.Layout))
	return &treeBroadcast{cut: c, l: s.Layout, root: s.Root}, err
}

func (p *treeBroadcast) Ranks() int { return p.l.Ranks() }

// heads calls f with the first ranks of a node's child nodes.
func (p *treeBroadcast) heads(t tree, node int, f func(rank int)) {
	n, root := p.l.Nodes-1, p.l.Node(p.root)
	head := func(v int) int { return (root+1+v)%p.l.Nodes*p.l.PerNode + t.head }
	switch {
	case n == 0:
	case node == root:
		f(head(dtreeRoot(n, t.tree)))
	default:
		for _, d := range dtree(n, mod(node-root-1, p.l.Nodes), t.tree).down {
			if d >= 0 {
				f(head(d))
			}
		}
	}
}

// dtreeRoot is the root of a tree of dtree (ncclGetDtreeRoots).
func dtreeRoot(n, tree int) int {
	switch {
	case tree == 0 || n == 1:
		return 0
	case n%2 == 0:
		return n - 1
	default:
		return 1
	}
}

func (p *treeBroadcast) Step(rank, lane, k int, s *Step) bool {
	s.reset()
	lo, hi, _ := p.loop(lane)
	if k > 1 || lo == hi || p.Ranks() == 1 {
		return false
	}
	if k == 0 {
		if rank != p.root {
			s.recv(hi - lo)
		}
		return true
	}
	t := p.l.tree(lane%p.channels, p.channels)
	node, local, per := p.l.Node(rank), p.l.Local(rank), p.l.PerNode
	head := t.head
	if node == p.l.Node(p.root) {
		head = p.l.Local(p.root)
	}
	if local == head {
		p.heads(t, node, func(to int) { s.send(t.transfer(rank, to, 0, lo, hi)) })
	}
	if mod(head-local, per) < per-1 {
		s.send(t.transfer(rank, node*per+mod(local-1, per), 0, lo, hi))
	}
	return true
}
