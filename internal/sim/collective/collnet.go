package collective

import "fmt"

// netAllReduce is an all-reduce whose reduction between nodes runs in the scale-out network (NCCL's
// CollNet, with SHARP behind it): step 0 reduces every slice to its head; in step 1 the network
// reduces the slices of the heads of all nodes on each rail; step 2 gives the result to the node.
// Inside a node the scale-up switch reduces and multicasts (NVLS, runNvls in
// src/device/all_reduce.h), or the GPUs send to each other (CollNetDirect).
type netAllReduce struct {
	cut
	heads
	inSwitch bool
}

// newCollNetDirect is the algorithm without reduction in the scale-up switch.
func newCollNetDirect(s Spec) (Program, error) {
	if s.Layout.Nodes < 2 {
		return nil, fmt.Errorf("collective: %v reduces between nodes: one is not enough", s.Algo)
	}
	h := newHeads(s.Layout)
	chunk := s.chunk(SlotBytes)
	c, err := newCut(s, s.Bytes, max(chunk-chunk%s.Elem, s.Elem)*int64(h.n), 1, Slots)
	return &netAllReduce{cut: c, heads: h}, err
}

func (p *netAllReduce) Ranks() int { return p.l.Ranks() }

func (p *netAllReduce) Step(rank, lane, k int, s *Step) bool {
	s.reset()
	lo, hi, _ := p.loop(lane)
	if k > 2 || lo == hi {
		return false
	}
	slice := func(head int) (int64, int64) { return split(lo, hi, p.n, head, p.elem) }
	switch {
	case k == 1:
		p.network(rank, lane%p.channels, slice, s)
	case k == 0 && p.inSwitch:
		p.reduce(rank, slice, s)
	case k == 0:
		p.gather(rank, slice, s)
	case p.inSwitch:
		p.multicast(rank, 2, slice, s)
	default:
		p.scatter(rank, slice, s)
	}
	return true
}

// network is a head's contribution on its rail, and the result.
func (p *netAllReduce) network(rank, channel int, slice func(head int) (int64, int64), s *Step) {
	local := p.l.Local(rank)
	head := p.head(local)
	if head < 0 {
		return
	}
	a, b := slice(head)
	s.send(Transfer{Peer: int32(rank), PeerStep: 1, Bytes: b - a, Path: PathNetReduce, Rail: int16(1 + p.l.Rail(local, channel)), Src: a, Dst: a})
	s.recv(b - a)
}

// gather sends each slice to its head, which reduces the slices that it receives.
func (p *netAllReduce) gather(rank int, slice func(head int) (int64, int64), s *Step) {
	local := p.l.Local(rank)
	for i := range p.n {
		head := (max(p.head(local), 0) + i) % p.n
		a, b := slice(head)
		if p.local(head) != local {
			s.send(within(rank-local+p.local(head), 0, a, b))
			continue
		}
		for range p.l.PerNode - 1 {
			s.recv(b - a)
		}
		s.Reduce = s.Recvs > 0
	}
}

// scatter sends each head's slice to the other GPUs of the node.
func (p *netAllReduce) scatter(rank int, slice func(head int) (int64, int64), s *Step) {
	local := p.l.Local(rank)
	for head := range p.n {
		a, b := slice(head)
		if p.local(head) != local {
			s.recv(b - a)
			continue
		}
		for i := 1; i < p.l.PerNode; i++ {
			s.send(within(rank-local+(local+i)%p.l.PerNode, 2, a, b))
		}
	}
}
