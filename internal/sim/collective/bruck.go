package collective

// bruckAllGather takes ⌈log2 n⌉ steps: in step i a rank sends the 2^i shards that it has, or the
// rest of n, to the rank 2^i after it (Bruck et al., "Efficient Algorithms for All-to-All
// Communications in Multiport Message-Passing Systems", IEEE TPDS 8, 1997). bruckReduceScatter is
// the same backwards. NCCL's PAT is this algorithm in another order of steps, which needs smaller
// buffers ("PAT: a new algorithm for all-gather and reduce-scatter operations at scale", arXiv
// 2506.20252).
//
// The shards are contiguous, so a message is one range, or two where the ranks wrap around. Parts
// of shards would not be contiguous: there is one lane, and Channels, Chunk and Slices are not
// used.
type bruckAllGather struct{ bruck }

type bruckReduceScatter struct{ bruck }

type bruck struct {
	l     Layout
	bytes int64
	elem  int64
}

func newBruckAllGather(s Spec) (Program, error) {
	return &bruckAllGather{bruck{s.Layout, s.Bytes, s.Elem}}, nil
}

func newBruckReduceScatter(s Spec) (Program, error) {
	return &bruckReduceScatter{bruck{s.Layout, s.Bytes, s.Elem}}, nil
}

func (p *bruck) Ranks() int    { return p.l.Ranks() }
func (p *bruck) Lanes() int    { return 1 }
func (p *bruck) Channels() int { return 1 }
func (p *bruck) Window() int   { return 1 }

// rounds is ⌈log2 n⌉; 0 for an empty vector.
func (p *bruck) rounds() int {
	if p.bytes == 0 || p.Ranks() == 1 {
		return 0
	}
	return log2(p.Ranks()-1) + 1
}

// shards calls f with the ranges that round i moves: a number of shards up to the last rank's.
func (p *bruck) shards(last, i int, f func(lo, hi int64)) {
	n := p.Ranks()
	count := min(1<<i, n-1<<i)
	first := last - count + 1
	if first < 0 {
		lo, _ := split(0, p.bytes, n, first+n, p.elem)
		f(lo, p.bytes)
		first = 0
	}
	lo, _ := split(0, p.bytes, n, first, p.elem)
	_, hi := split(0, p.bytes, n, last, p.elem)
	f(lo, hi)
}

func (p *bruckAllGather) Step(rank, lane, k int, s *Step) bool {
	s.reset()
	if k >= p.rounds() {
		return false
	}
	n := p.Ranks()
	to := mod(rank+1<<k, n)
	p.shards(rank, k, func(lo, hi int64) { s.send(within(to, k, lo, hi)) })
	p.shards(mod(rank-1<<k, n), k, func(lo, hi int64) { s.recv(hi - lo) })
	return true
}

func (p *bruckReduceScatter) Step(rank, lane, k int, s *Step) bool {
	s.reset()
	i := p.rounds() - 1 - k
	if i < 0 {
		return false
	}
	to := mod(rank-1<<i, p.Ranks())
	p.shards(to, i, func(lo, hi int64) { s.send(within(to, k, lo, hi)) })
	p.shards(rank, i, func(lo, hi int64) { s.recv(hi - lo) })
	s.Reduce = true
	return true
}
