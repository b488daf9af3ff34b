package collective

// halvingAllReduce is recursive vector halving and distance doubling followed by the reverse:
// Rabenseifner's algorithm as in MPICH (Thakur, Rabenseifner and Gropp, "Optimization of Collective
// Communication Operations in MPICH", IJHPCA 19, 2005, section 4.5). In step i of log2(n) a rank
// sends half of its current range to the rank at distance 2^i and reduces the other half; the
// gathering goes back the same way. The first steps, which move the most, stay inside the node.
//
// If n is not a power of two, each of the first n−2^⌊log2 n⌋ even ranks first sends everything to
// its odd neighbour, sits out, and gets the result at the end.
type halvingAllReduce struct {
	cut
	l Layout
}

func newHalvingAllReduce(s Spec) (Program, error) {
	c, err := newCut(s, s.Bytes, s.chunk(max(s.Bytes, s.Elem)), 1, Slots)
	return &halvingAllReduce{cut: c, l: s.Layout}, err
}

func (p *halvingAllReduce) Ranks() int { return p.l.Ranks() }

// folded is the number of even ranks that sit out.
func (p *halvingAllReduce) folded() int { return p.Ranks() - 1<<log2(p.Ranks()) }

// number is a rank's number among the participants, −1 if it sits out.
func (p *halvingAllReduce) number(rank int) int {
	switch f := p.folded(); {
	case rank >= 2*f:
		return rank - f
	case rank%2 == 1:
		return rank / 2
	default:
		return -1
	}
}

func (p *halvingAllReduce) rank(number int) int {
	if f := p.folded(); number >= f {
		return number + f
	}
	return 2*number + 1
}

// held is the range of a participant after i halvings.
func (p *halvingAllReduce) held(number, i int, lo, hi int64) (int64, int64) {
	for j := range i {
		lo, hi = split(lo, hi, 2, number>>j&1, p.elem)
	}
	return lo, hi
}

func (p *halvingAllReduce) Step(rank, lane, k int, s *Step) bool {
	s.reset()
	lo, hi, _ := p.loop(lane)
	rounds := log2(p.Ranks())
	last := 2*rounds + 1
	if k > last || lo == hi || p.Ranks() == 1 {
		return false
	}
	number := p.number(rank)
	switch {
	case k == 0 || k == last:
		p.fold(rank, k, lo, hi, s)
	case number < 0:
	case k <= rounds:
		p.exchange(number, k-1, k, lo, hi, true, s)
	default:
		p.exchange(number, last-1-k, k, lo, hi, false, s)
	}
	return true
}

// fold is the first and the last step, between the ranks that sit out and their neighbours.
func (p *halvingAllReduce) fold(rank, k int, lo, hi int64, s *Step) {
	if rank >= 2*p.folded() {
		return
	}
	if even := rank%2 == 0; even == (k == 0) {
		s.send(p.transfer(rank^1, k, lo, hi))
	} else {
		s.recv(hi - lo)
		s.Reduce = k == 0
	}
}

// exchange is round i between a participant and the participant at distance 2^i: halving sends the
// half that the other keeps, doubling sends the own range.
func (p *halvingAllReduce) exchange(number, i, k int, lo, hi int64, halve bool, s *Step) {
	peer := number ^ 1<<i
	a, b := p.held(number, i+1, lo, hi)
	c, d := p.held(peer, i+1, lo, hi)
	if halve {
		a, b, c, d = c, d, a, b
	}
	s.send(p.transfer(p.rank(peer), k, a, b))
	s.recv(d - c)
	s.Reduce = halve
}

func (p *halvingAllReduce) transfer(to, step int, lo, hi int64) Transfer {
	return Transfer{Peer: int32(to), PeerStep: int32(step), Bytes: hi - lo, Src: lo, Dst: lo}
}
