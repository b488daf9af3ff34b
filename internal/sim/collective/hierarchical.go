package collective

// Hierarchical algorithms keep each GPU on its own rail: the scale-up network
// scatters inside the node, one ring per rail works between the nodes, and the
// scale-up network gathers. Between nodes a rank moves 1/PerNode of the bytes of a
// single ring, in about 1/PerNode of the steps.

// rails is the common part of hierarchical algorithms.
type rails struct{ l Layout }

// over is the transfer of [lo, hi) to the same GPU of the next node.
func (r rails) over(rank, peerStep, channel int, lo, hi int64) Transfer {
	to := (rank + r.l.PerNode) % r.l.Ranks()
	return Transfer{Peer: int32(to), PeerStep: int32(peerStep), Bytes: hi - lo, Rail: int16(1 + r.l.Rail(r.l.Local(rank), channel)), Src: lo, Dst: lo}
}

// locals calls f with the other GPUs of a rank's node, starting with the next GPU,
// so that not all begin with the same one.
func (r rails) locals(rank int, f func(rank, local int)) {
	p, node, local := r.l.PerNode, r.l.Node(rank), r.l.Local(rank)
	for i := 1; i < p; i++ {
		l := (local + i) % p
		f(node*p+l, l)
	}
}

func within(to, peerStep int, lo, hi int64) Transfer {
	return Transfer{Peer: int32(to), PeerStep: int32(peerStep), Bytes: hi - lo, Src: lo, Dst: lo}
}

// hierarchicalAllReduce: a lane's loop has one part per local GPU. Step 0
// reduces each part at its GPU; 2(N−1) steps of a ring between the nodes
// all-reduce it; the last step gives it to all GPUs of the node.
type hierarchicalAllReduce struct {
	cut
	rails
}

func newHierarchicalAllReduce(s Spec) (Program, error) {
	chunk := s.chunk(RingChunk)
	unit := max(chunk-chunk%s.Elem, s.Elem) * int64(s.Layout.Ranks())
	c, err := newCut(s, s.Bytes, unit, s.Slices, s.Slices)
	return &hierarchicalAllReduce{cut: c, rails: rails{s.Layout}}, err
}

func (p *hierarchicalAllReduce) Ranks() int { return p.l.Ranks() }

func (p *hierarchicalAllReduce) Step(rank, lane, k int, s *Step) bool {
	s.reset()
	lo, hi, slice := p.loop(lane)
	lo, hi = p.slice(lo, hi, slice)
	ring := 2 * (p.l.Nodes - 1)
	if k > ring+1 || lo == hi || p.Ranks() == 1 {
		return false
	}
	part := func(local int) (int64, int64) { return split(lo, hi, p.l.PerNode, local, p.elem) }
	a, b := part(p.l.Local(rank))
	switch k {
	case 0:
		p.locals(rank, func(to, local int) {
			c, d := part(local)
			s.send(within(to, 0, c, d))
			s.recv(b - a)
		})
		s.Reduce = true
	case ring + 1:
		p.locals(rank, func(to, local int) {
			c, d := part(local)
			s.send(within(to, k, a, b))
			s.recv(d - c)
		})
	default:
		p.ring(rank, lane, k, a, b, s)
	}
	return true
}

// ring is step k of the ring between the nodes that all-reduces [a, b).
func (p *hierarchicalAllReduce) ring(rank, lane, k int, a, b int64, s *Step) {
	n, node := p.l.Nodes, p.l.Node(rank)
	chunk := func(j int) (int64, int64) { return split(a, b, n, mod(j, n), p.elem) }
	c, d := chunk(node - k)
	s.send(p.over(rank, k, lane%p.channels, c, d))
	c, d = chunk(node - 1 - k)
	s.recv(d - c)
	s.Reduce = k < n
}

// hierarchicalShards is the common part of all-gather and reduce-scatter: one shard per rank; a
// lane moves the same part of every shard.
type hierarchicalShards struct {
	ringShards
	rails
}

func newHierarchicalShards(s Spec) (hierarchicalShards, error) {
	sh, err := newRingShards(s)
	return hierarchicalShards{ringShards: sh, rails: rails{s.Layout}}, err
}

// enter resets s and reports whether step k exists: a lane has one step per node.
func (p *hierarchicalShards) enter(lane, k int, s *Step) bool {
	s.reset()
	lo, hi, _ := p.loop(lane)
	return k < p.rails.l.Nodes && lo < hi && p.Ranks() > 1
}

// shard is the lane's part of the shard of a GPU of a node.
func (p *hierarchicalShards) shard(lane, node, local int) (int64, int64) {
	return p.piece(lane, mod(node, p.rails.l.Nodes)*p.rails.l.PerNode+local)
}

// hierarchicalAllGather: in step k a rank sends the shard that came k nodes along its rail to the
// other GPUs of its node and to the next node.
type hierarchicalAllGather struct{ hierarchicalShards }

func newHierarchicalAllGather(s Spec) (Program, error) {
	sh, err := newHierarchicalShards(s)
	return &hierarchicalAllGather{sh}, err
}

func (p *hierarchicalAllGather) Step(rank, lane, k int, s *Step) bool {
	if !p.enter(lane, k, s) {
		return false
	}
	l := p.rails.l
	node, local := l.Node(rank), l.Local(rank)
	a, b := p.shard(lane, node-k, local)
	if k < l.Nodes-1 {
		s.send(p.over(rank, k, lane%p.channels, a, b))
		c, d := p.shard(lane, node-k-1, local)
		s.recv(d - c)
	}
	p.locals(rank, func(to, other int) {
		s.send(within(to, k, a, b))
		c, d := p.shard(lane, node-k, other)
		s.recv(d - c)
	})
	return true
}

// hierarchicalReduceScatter is the all-gather backwards. In step k node n reduces the
// shards that belong to node n-1-k, each at the GPU of its rail, and sends the sums of
// step k-1 onwards along the rails.
type hierarchicalReduceScatter struct{ hierarchicalShards }

func newHierarchicalReduceScatter(s Spec) (Program, error) {
	sh, err := newHierarchicalShards(s)
	return &hierarchicalReduceScatter{sh}, err
}

func (p *hierarchicalReduceScatter) Step(rank, lane, k int, s *Step) bool {
	if !p.enter(lane, k, s) {
		return false
	}
	l := p.rails.l
	node, local := l.Node(rank), l.Local(rank)
	a, b := p.shard(lane, node-1-k, local)
	if k > 0 {
		c, d := p.shard(lane, node-k, local)
		s.send(p.over(rank, k, lane%p.channels, c, d))
		s.recv(b - a)
	}
	p.locals(rank, func(to, other int) {
		c, d := p.shard(lane, node-1-k, other)
		s.send(within(to, k, c, d))
		s.recv(b - a)
	})
	s.Reduce = true
	return true
}
