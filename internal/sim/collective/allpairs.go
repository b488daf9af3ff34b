package collective

// pairsAllReduce is the all-reduce in which every rank sums a part of the vector: in step 0 it sends
// each other rank that rank's part, in step 1 it sends its own part's sum to all (MSCCL's all-pairs).
// A channel's part of the vector is not cut further.
type pairsAllReduce struct {
	cut
	l Layout
}

func newPairsAllReduce(s Spec) (Program, error) {
	c, err := newCut(s, s.Bytes, max(s.Bytes, 1), 1, 1)
	return &pairsAllReduce{cut: c, l: s.Layout}, err
}

func (p *pairsAllReduce) Ranks() int { return p.l.Ranks() }

func (p *pairsAllReduce) Step(rank, lane, k int, s *Step) bool {
	s.reset()
	lo, hi, _ := p.loop(lane)
	n := p.Ranks()
	if k > 1 || lo == hi || n == 1 {
		return false
	}
	own, end := split(lo, hi, n, rank, p.elem)
	for i := 1; i < n; i++ {
		to := mod(rank+i, n)
		a, b := split(lo, hi, n, to, p.elem)
		if k == 0 {
			s.recv(end - own)
		} else {
			s.recv(b - a)
			a, b = own, end
		}
		t := Transfer{Peer: int32(to), PeerStep: int32(k), Bytes: b - a, Src: a, Dst: a}
		if p.l.Node(rank) != p.l.Node(to) && !p.l.OwnRails {
			t.Rail = int16(1 + p.l.Rail(p.l.Local(to), lane%p.channels))
		}
		s.send(t)
	}
	s.Reduce = k == 0 && s.Recvs > 0
	return true
}
