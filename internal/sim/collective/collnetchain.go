package collective

import "fmt"

// chainAllReduce is an all-reduce whose reduction between nodes runs in the scale-out network. Each
// node first reduces along a chain to the GPU beside the channel's NIC (NCCL's CollNetChain:
// src/device/all_reduce.h, and ncclTopoPresetCollNet in src/graph/connect.cc). Every chunk is a
// lane of three steps: receive from the next GPU in the chain; send to the previous GPU, or from
// the head to the network, and receive the result; pass it on.
type chainAllReduce struct {
	cut
	l Layout
}

// chainWindow keeps a chain's pipeline full in one direction.
func chainWindow(l Layout) int { return Slots * l.PerNode }

func newCollNetChain(s Spec) (Program, error) {
	if s.Layout.Nodes < 2 {
		return nil, fmt.Errorf("collective: %v reduces between nodes: one is not enough", s.Algo)
	}
	c, err := newCut(s, s.Bytes, s.chunk(SlotBytes), 1, 2*chainWindow(s.Layout)) // up and down
	return &chainAllReduce{cut: c, l: s.Layout}, err
}

func (p *chainAllReduce) Ranks() int { return p.l.Ranks() }

func (p *chainAllReduce) Step(rank, lane, k int, s *Step) bool {
	s.reset()
	lo, hi, _ := p.loop(lane)
	if k > 2 || lo == hi {
		return false
	}
	rail := lane % p.channels % p.l.Rails()
	local := p.l.Local(rank)
	place := mod(p.l.RailGPU(rail)-local, p.l.PerNode) // in the chain, from the head
	neighbour := func(by int) int { return rank - local + mod(local+by, p.l.PerNode) }
	last := place == p.l.PerNode-1
	switch {
	case k == 0 && !last:
		s.recv(hi - lo)
		s.Reduce = true
	case k == 1 && place == 0:
		s.send(Transfer{Peer: int32(rank), PeerStep: 1, Bytes: hi - lo, Path: PathNetReduce, Rail: int16(1 + rail), Src: lo, Dst: lo})
		s.recv(hi - lo)
	case k == 1:
		s.send(within(neighbour(1), 0, lo, hi))
		s.recv(hi - lo)
	case k == 2 && !last:
		s.send(within(neighbour(-1), 1, lo, hi))
	}
	return true
}
