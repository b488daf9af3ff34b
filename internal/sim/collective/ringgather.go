package collective

// ringShards is the common part of all-gather and reduce-scatter over a ring: the vector has one
// shard per rank, and a lane moves the same part of every shard (src/device/all_gather.h,
// src/device/reduce_scatter.h of NCCL). Both take n−1 steps; in each of them every rank sends to
// the next in the ring.
type ringShards struct {
	cut
	l     Layout
	bytes int64
}

func newRingShards(s Spec) (ringShards, error) {
	lo, hi := split(0, s.Bytes, s.Layout.Ranks(), 0, s.Elem) // the longest shard
	c, err := newCut(s, hi-lo, s.chunk(RingChunk), s.Slices, s.Slices)
	return ringShards{cut: c, l: s.Layout, bytes: s.Bytes}, err
}

func (p *ringShards) Ranks() int { return p.l.Ranks() }

// piece is the part of a rank's shard that a lane moves.
func (p *ringShards) piece(lane, shard int) (int64, int64) {
	slo, shi := split(0, p.bytes, p.Ranks(), shard, p.elem)
	lo, hi, slice := p.loop(lane)
	lo, hi = p.slice(lo, hi, slice)
	return min(slo+lo, shi), min(slo+hi, shi)
}

// step sends the shard of the rank at position out and receives the shard of the rank before it.
func (p *ringShards) step(rank, lane, k int, out func(i, k int) int, s *Step) bool {
	s.reset()
	lo, hi, slice := p.loop(lane)
	if k >= p.Ranks()-1 || lo == hi || p.empty(hi-lo, slice) {
		return false
	}
	r := p.l.ring(lane % p.channels)
	i := r.index(rank)
	if a, b := p.piece(lane, r.at(out(i, k))); a < b {
		s.send(r.send(rank, r.at(i+1), k, a, b))
	}
	if a, b := p.piece(lane, r.at(out(i-1, k))); a < b {
		s.recv(b - a)
	}
	return true
}

// ringAllGather passes on the shards, beginning with the rank's own.
type ringAllGather struct{ ringShards }

func newRingAllGather(s Spec) (Program, error) {
	sh, err := newRingShards(s)
	return &ringAllGather{sh}, err
}

func (p *ringAllGather) Step(rank, lane, k int, s *Step) bool {
	return p.step(rank, lane, k, func(i, k int) int { return i - k }, s)
}

// ringReduceScatter starts with the shard of the previous rank in the ring, which goes the whole
// way round to it.
type ringReduceScatter struct{ ringShards }

func newRingReduceScatter(s Spec) (Program, error) {
	sh, err := newRingShards(s)
	return &ringReduceScatter{sh}, err
}

func (p *ringReduceScatter) Step(rank, lane, k int, s *Step) bool {
	ok := p.step(rank, lane, k, func(i, k int) int { return i - 1 - k }, s)
	s.Reduce = ok
	return ok
}

// Alike implements Regular.
func (p *ringAllGather) Alike(_, k int) int { return p.alike(k) }

// Alike implements Regular.
func (p *ringReduceScatter) Alike(_, k int) int { return p.alike(k) }

// alike is the end of the steps that are like step k of a ring: all, if the ranks divide the vector. Programs of other
// steps have these shards too, so it is no method of Regular.
func (p *ringShards) alike(k int) int {
	if p.bytes%(int64(p.Ranks())*p.elem) != 0 {
		return k + 1
	}
	return max(k+1, p.Ranks()-1)
}
