package collective

// ringAllReduce is NCCL's runRing (src/device/all_reduce.h): a loop has one chunk per rank. A chunk
// goes around the ring once to be reduced, which ends at the rank of the same position, and once
// more to be distributed. In each of these 2(n−1) steps every rank sends one chunk to the next rank
// and receives one from the previous. Loops of a channel follow each other; the slices of a chunk
// are parallel lanes, so the window is their number.
type ringAllReduce struct {
	cut
	l        Layout
	minChunk int64
}

func newRingAllReduce(s Spec) (Program, error) {
	chunk := s.chunk(RingChunk)
	unit := max(chunk-chunk%s.Elem, s.MinChunk) * int64(s.Layout.Ranks())
	c, err := newCut(s, s.Bytes, unit, s.Slices, s.Slices)
	return &ringAllReduce{cut: c, l: s.Layout, minChunk: s.MinChunk}, err
}

func (p *ringAllReduce) Ranks() int { return p.l.Ranks() }

// chunk is the size of the chunks of a loop; the last ones may be smaller.
func (p *ringAllReduce) chunk(lo, hi int64) int64 {
	return max(ceil(hi-lo, p.Ranks(), p.elem), p.minChunk)
}

// piece is the slice of chunk j that a lane moves.
func (p *ringAllReduce) piece(lo, hi int64, slice, j int) (int64, int64) {
	lo, hi = block(lo, hi, p.chunk(lo, hi), mod(j, p.Ranks()))
	return p.slice(lo, hi, slice)
}

func (p *ringAllReduce) Step(rank, lane, k int, s *Step) bool {
	s.reset()
	n := p.Ranks()
	lo, hi, slice := p.loop(lane)
	if k >= 2*(n-1) || lo == hi || p.empty(p.chunk(lo, hi), slice) {
		return false
	}
	r := p.l.ring(lane % p.channels)
	i := r.index(rank)
	if a, b := p.piece(lo, hi, slice, i-1-k); a < b {
		s.send(r.send(rank, r.at(i+1), k, a, b))
	}
	if a, b := p.piece(lo, hi, slice, i-2-k); a < b {
		s.recv(b - a)
	}
	s.Reduce = k < n-1
	return true
}

// Alike implements Regular. If the number of ranks divides a loop, all its chunks have one size. Then all steps that
// reduce are alike, and all steps that distribute are alike.
func (p *ringAllReduce) Alike(lane, k int) int {
	lo, hi, _ := p.loop(lane)
	n := p.Ranks()
	switch {
	case p.chunk(lo, hi)*int64(n) != hi-lo:
		return k + 1
	case k < n-1:
		return n - 1
	}
	return max(k+1, 2*(n-1))
}
