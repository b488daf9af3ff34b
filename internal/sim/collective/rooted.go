package collective

// rooted is a scatter or a gather: the rounds of allToAll of which one end is the root (NCCL's
// grouped ncclSend/ncclRecv; src/scatter.cu and src/gather.cu of nccl-tests). The part of the rank
// that is not the root moves; it has the same place in both buffers.
type rooted struct {
	allToAll
	root    int
	gathers bool
}

func newRooted(s Spec) (Program, error) {
	p, err := pairs(s)
	return &rooted{p, s.Root, s.Op == Gather}, err
}

// Step is a round in which the rank sends to or receives from the root, or nothing.
func (p *rooted) Step(rank, lane, k int, s *Step) bool {
	s.reset()
	channel, round := lane%p.channels, lane/p.channels+1
	if k > 0 || p.Ranks() == 1 || p.bytes == 0 {
		return false
	}
	to, from := p.peers(rank, round)
	sends, receives, owner, came := rank == p.root, from == p.root, to, rank
	if p.gathers {
		sends, receives, owner, came = to == p.root, rank == p.root, rank, from
	}
	if sends {
		src, _, length, _ := p.part(owner, channel)
		p.send(s, rank, channel, Transfer{Peer: int32(to), Bytes: length, Src: src, Dst: src})
	}
	if receives {
		_, _, length, _ := p.part(came, channel)
		p.recv(s, rank, from, length)
	}
	return true
}
