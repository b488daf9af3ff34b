package collective

import "fmt"

// NVLSChunk is NCCL_NVLS_CHUNKSIZE (src/transport/nvls.cc): the amount that a head moves at a time.
const NVLSChunk = 128 << 10

// MaxHeads is NCCL_MAX_NVLS_ARITY (src/include/device.h): of a node with more GPUs, such as an
// NVL72 rack, only so many own slices.
const MaxHeads = 32

// heads is NVLS's division of a node's work: head h owns slice h of every loop. A head is a GPU with
// a NIC of its own, or the first GPU beside NIC h. With one node every GPU can be a head.
type heads struct {
	l Layout
	n int
}

func newHeads(l Layout) heads { return heads{l: l, n: l.Heads()} }

// Heads is the number of heads of a node.
func (l Layout) Heads() int {
	n := min(l.PerNode, MaxHeads)
	if l.Nodes > 1 {
		n = min(n, l.Rails())
	}
	return n
}

// local is the GPU of head h.
func (h heads) local(head int) int {
	if h.l.Nodes == 1 || h.l.Rails() >= h.l.PerNode {
		return head
	}
	return h.l.RailGPU(head)
}

// head is the head number of a GPU, or −1.
func (h heads) head(local int) int {
	head := local
	if h.l.Nodes > 1 && h.l.Rails() < h.l.PerNode {
		head = local * h.l.Rails() / h.l.PerNode
	}
	if head < h.n && h.local(head) == local {
		return head
	}
	return -1
}

// reduce contributes to the slices of all other heads of the node. A head then waits in step 0 for
// the sum of the others' contributions.
func (h heads) reduce(rank int, slice func(head int) (int64, int64), s *Step) {
	local := h.l.Local(rank)
	first := max(h.head(local), 0)
	for i := range h.n {
		head := (first + i) % h.n
		a, b := slice(head)
		to := h.local(head)
		if to == local {
			s.recv(b - a)
			s.Reduce = s.Recvs > 0
			continue
		}
		s.send(Transfer{Peer: int32(rank - local + to), Bytes: b - a, Path: PathReduce, Src: a, Dst: a})
	}
}

// multicast sends a head's slice to the node and waits for the slices of the others.
func (h heads) multicast(rank, peerStep int, slice func(head int) (int64, int64), s *Step) {
	own := h.head(h.l.Local(rank))
	for head := range h.n {
		a, b := slice(head)
		if head == own {
			s.send(Transfer{Peer: -1, PeerStep: int32(peerStep), Bytes: b - a, Path: PathMulticast, Src: a, Dst: a})
		} else {
			s.recv(b - a)
		}
	}
}

// nvlsAllReduce is one node's all-reduce in the scale-up switch (runNvls in
// src/device/all_reduce.h): in step 0 the switch reduces every slice to its head, in step 1 it
// delivers the result to all.
type nvlsAllReduce struct {
	cut
	heads
}

func newNVLSCut(s Spec, h heads, window int) (cut, error) {
	if s.Layout.PerNode < 2 {
		return cut{}, fmt.Errorf("collective: %v needs at least two GPUs in a node", s.Algo)
	}
	chunk := s.chunk(NVLSChunk)
	return newCut(s, s.Bytes, max(chunk-chunk%s.Elem, s.Elem)*int64(h.n), 1, window)
}

func newNVLSAllReduce(s Spec) (Program, error) {
	h := newHeads(s.Layout)
	c, err := newNVLSCut(s, h, Slots)
	if s.Layout.Nodes > 1 {
		return &netAllReduce{cut: c, heads: h, inSwitch: true}, err
	}
	return &nvlsAllReduce{cut: c, heads: h}, err
}

func (p *nvlsAllReduce) Ranks() int { return p.l.Ranks() }

func (p *nvlsAllReduce) Step(rank, lane, k int, s *Step) bool {
	s.reset()
	lo, hi, _ := p.loop(lane)
	if k > 1 || lo == hi {
		return false
	}
	slice := func(head int) (int64, int64) { return split(lo, hi, p.n, head, p.elem) }
	if k == 0 {
		p.reduce(rank, slice, s)
	} else {
		p.multicast(rank, 1, slice, s)
	}
	return true
}

// nvlsTreeAllReduce has a tree over the nodes between the reduction and the multicast: head h of
// each node communicates with head h of the others on its own rail, even channels along one tree of
// dtree, odd channels along the other (connectNvls, src/graph/connect.cc). Steps: reduce in the
// switch; receive from the child nodes; send to the parent node and receive the result; send it to
// the child nodes and to the own node.
type nvlsTreeAllReduce struct {
	cut
	heads
}

func newNVLSTreeAllReduce(s Spec) (Program, error) {
	h := newHeads(s.Layout)
	c, err := newNVLSCut(s, h, 2*Slots*(1+log2(s.Layout.Nodes))) // up and down
	return &nvlsTreeAllReduce{cut: c, heads: h}, err
}

func (p *nvlsTreeAllReduce) Ranks() int { return p.l.Ranks() }

func (p *nvlsTreeAllReduce) Step(rank, lane, k int, s *Step) bool {
	s.reset()
	lo, hi, _ := p.loop(lane)
	if k > 3 || lo == hi {
		return false
	}
	slice := func(head int) (int64, int64) { return split(lo, hi, p.n, head, p.elem) }
	if k == 0 {
		p.reduce(rank, slice, s)
		return true
	}
	channel := lane % p.channels
	head := p.head(p.l.Local(rank))
	if head >= 0 {
		a, b := slice(head)
		p.between(rank, channel, k, a, b, s)
	}
	if k == 3 {
		p.multicast(rank, 3, slice, s)
	}
	return true
}

// between is the work of a head in a step on its rail with its slice [a, b).
func (p *nvlsTreeAllReduce) between(rank, channel, k int, a, b int64, s *Step) {
	local := p.l.Local(rank)
	v := dtree(p.l.Nodes, p.l.Node(rank), channel%2)
	rail := int16(1 + p.l.Rail(local, channel))
	to := func(node, peerStep int) {
		s.send(Transfer{Peer: int32(node*p.l.PerNode + local), PeerStep: int32(peerStep), Bytes: b - a, Rail: rail, Src: a, Dst: a})
	}
	switch {
	case k == 2 && v.up >= 0:
		to(v.up, 1)
		s.recv(b - a)
	case k == 1 || k == 3:
		for _, d := range v.down {
			if d < 0 {
				continue
			}
			if k == 1 {
				s.recv(b - a)
				s.Reduce = s.Recvs > 0
			} else {
				to(d, 2)
			}
		}
	}
}
