package collective

import "fmt"

// netShards is all-gather and reduce-scatter with the scale-out network between the nodes
// (CollNetDirect, and NVLS over several nodes: src/device/all_gather.h and reduce_scatter.h of
// NCCL). Every GPU is a head with a NIC of its own. The vector of a rail is the shards of its
// heads, node after node; a lane moves a window of every rail's vector. The window is a part of a
// shard or spans several shards.
//
// A reduce-scatter reduces the window to its head inside the node. The network then reduces the
// windows of a rail's heads and gives each shard to its head alone. An all-gather goes the other
// way: the network copies a head's part of the window to all heads of its rail, and each passes the
// window on inside its node.
type netShards struct {
	heads
	bytes    int64
	shard    int64 // the longest
	unit     int64
	elem     int64
	channels int
	lanes    int
	window   int
	gather   bool
	inSwitch bool
}

// newNetShards is the program on several nodes; with inSwitch the scale-up switch does the work
// inside the nodes.
func newNetShards(s Spec, inSwitch bool) (Program, error) {
	h := newHeads(s.Layout)
	switch {
	case s.Layout.Nodes < 2:
		return nil, fmt.Errorf("collective: %v %v goes between nodes: one is not enough", s.Algo, s.Op)
	case h.n < s.Layout.PerNode:
		return nil, fmt.Errorf("collective: %v %v needs a NIC for each GPU, and at most %d GPUs in a node, as NCCL does: the %d GPUs of a node have %d", s.Algo, s.Op, MaxHeads, s.Layout.PerNode, s.Layout.Rails())
	case inSwitch && s.Layout.PerNode < 2:
		return nil, fmt.Errorf("collective: %v needs at least two GPUs in a node", s.Algo)
	}
	own, window := int64(SlotBytes), s.Window
	if inSwitch {
		own = NVLSChunk
	}
	if window == 0 {
		window = Slots
	}
	lo, hi := split(0, s.Bytes, s.Layout.Ranks(), 0, s.Elem) // the longest shard
	unit := max(s.chunk(own)/s.Elem, 1) * s.Elem
	windows := ((hi-lo)*int64(s.Layout.Nodes) + unit - 1) / unit
	if windows > MaxLanes {
		return nil, fmt.Errorf("collective: %d bytes in chunks of %d need %d lanes, more than %d: take larger chunks", s.Bytes, unit, windows, MaxLanes)
	}
	return &netShards{
		heads: h, bytes: s.Bytes, shard: hi - lo, unit: unit, elem: s.Elem, channels: s.Channels,
		lanes: max(int(windows), s.Channels), window: window, gather: s.Op == AllGather, inSwitch: inSwitch,
	}, nil
}

func newCollNetShards(s Spec) (Program, error) { return newNetShards(s, false) }

// Ranks, Lanes, Channels and Window implement Program.
func (p *netShards) Ranks() int    { return p.l.Ranks() }
func (p *netShards) Lanes() int    { return p.lanes }
func (p *netShards) Channels() int { return p.channels }
func (p *netShards) Window() int   { return p.window }

// pieces calls each for the parts of shards in a lane's window of a head's rail, and returns their
// total size.
func (p *netShards) pieces(lane, head int, each func(owner int, lo, hi int64)) (bytes int64) {
	lo := int64(lane) * p.unit
	hi := min(lo+p.unit, p.shard*int64(p.l.Nodes))
	for lo < hi {
		node := lo / p.shard
		end := min(hi, (node+1)*p.shard)
		owner := int(node)*p.l.PerNode + p.local(head)
		first, last := split(0, p.bytes, p.Ranks(), owner, p.elem)
		if a, b := min(first+lo-node*p.shard, last), min(first+end-node*p.shard, last); a < b {
			bytes += b - a
			each(owner, a, b)
		}
		lo = end
	}
	return bytes
}

// size is the number of bytes in a lane's window of a head's rail.
func (p *netShards) size(lane, head int) int64 {
	return p.pieces(lane, head, func(int, int64, int64) {})
}

func (p *netShards) Step(rank, lane, k int, s *Step) bool {
	s.reset()
	if k > 1 || int64(lane)*p.unit >= p.shard*int64(p.l.Nodes) {
		return false
	}
	local := p.l.Local(rank)
	switch {
	case p.gather && k == 0:
		p.copied(rank, lane, s)
	case p.gather:
		p.deal(rank, local, lane, s)
	case k == 0:
		p.collect(rank, local, lane, s)
	default:
		p.reduced(rank, lane, s)
	}
	return true
}

// copied sends a head's part of a window to the network, and receives the whole window.
func (p *netShards) copied(rank, lane int, s *Step) {
	p.pieces(lane, p.head(p.l.Local(rank)), func(owner int, lo, hi int64) {
		s.recv(hi - lo)
		if owner == rank {
			s.send(p.outward(rank, lane, Transfer{Peer: int32(rank), Path: PathNetGather, Bytes: hi - lo, Src: lo, Dst: lo}))
		}
	})
}

// reduced contributes a window to the network, and receives the head's own part of the result.
func (p *netShards) reduced(rank, lane int, s *Step) {
	p.pieces(lane, p.head(p.l.Local(rank)), func(owner int, lo, hi int64) {
		if owner == rank {
			s.recv(hi - lo)
		}
		s.send(p.outward(rank, lane, Transfer{Peer: int32(owner), PeerStep: 1, Path: PathNetScatter, Bytes: hi - lo, Src: lo, Dst: lo}))
	})
	s.join(0)
}

// outward puts a transfer on the rail of its head.
func (p *netShards) outward(rank, lane int, t Transfer) Transfer {
	t.Rail = int16(1 + p.l.Rail(p.l.Local(rank), lane%p.channels))
	return t
}

// collect sends every other head of the node its window, and reduces the rank's own window.
func (p *netShards) collect(rank, local, lane int, s *Step) {
	own := p.head(local)
	for i := 1; i < p.n; i++ {
		head := (own + i) % p.n
		t := within(rank-local+p.local(head), 0, 0, 0)
		if p.inSwitch {
			t.Path = PathReduce
		}
		p.pass(lane, head, t, s)
	}
	if size := p.size(lane, own); p.inSwitch && p.n > 1 {
		s.recv(size)
	} else {
		for range p.n - 1 {
			s.recv(size)
		}
	}
	s.Reduce = s.Recvs > 0
}

// deal sends the rank's own window to the node, and receives the windows of the other heads.
func (p *netShards) deal(rank, local, lane int, s *Step) {
	own := p.head(local)
	if p.inSwitch {
		p.pass(lane, own, Transfer{Peer: -1, PeerStep: 1, Path: PathMulticast}, s)
	}
	for i := 1; i < p.n; i++ {
		head := (own + i) % p.n
		if !p.inSwitch {
			p.pass(lane, own, within(rank-local+p.local(head), 1, 0, 0), s)
		}
		s.recv(p.size(lane, head))
	}
}

// pass sends a head's window as one message.
func (p *netShards) pass(lane, head int, t Transfer, s *Step) {
	first := len(s.Sends)
	p.pieces(lane, head, func(_ int, lo, hi int64) {
		t.Bytes, t.Src, t.Dst = hi-lo, lo, lo
		s.send(t)
	})
	s.join(first)
}
