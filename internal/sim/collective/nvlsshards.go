package collective

import "fmt"

// nvlsShards is all-gather and reduce-scatter of one node in the scale-up switch
// (src/device/all_gather.h and reduce_scatter.h of NCCL). It has one step: every rank multicasts
// its shard, or the switch reduces the shards to their ranks.
type nvlsShards struct {
	ringShards
	heads
	gather bool
}

func newNVLSShards(s Spec) (Program, error) {
	if s.Layout.Nodes > 1 {
		return newNetShards(s, true)
	}
	h := newHeads(s.Layout)
	switch {
	case s.Layout.PerNode < 2:
		return nil, fmt.Errorf("collective: %v needs at least two GPUs in a node", s.Algo)
	case h.n < s.Layout.PerNode:
		return nil, fmt.Errorf("collective: %v %v has at most %d GPUs of a node, as in NCCL: here are %d", s.Algo, s.Op, MaxHeads, s.Layout.PerNode)
	}
	s.Chunk = s.chunk(NVLSChunk)
	if s.Window == 0 {
		s.Window = Slots
	}
	s.Slices = 1
	sh, err := newRingShards(s)
	return &nvlsShards{ringShards: sh, heads: h, gather: s.Op == AllGather}, err
}

func (p *nvlsShards) Step(rank, lane, k int, s *Step) bool {
	s.reset()
	lo, hi, _ := p.loop(lane)
	if k > 0 || lo == hi {
		return false
	}
	shard := func(head int) (int64, int64) { return p.piece(lane, head) }
	if p.gather {
		p.multicast(rank, 0, shard, s)
	} else {
		p.reduce(rank, shard, s)
	}
	return true
}
