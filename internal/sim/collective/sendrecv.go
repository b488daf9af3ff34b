package collective

// sendRecv is the operation of nccl-tests' sendrecv_perf: rank r sends its vector to rank r+1 and
// receives the vector of rank r−1, all at once. Every chunk is a lane. Between nodes it uses the
// receiver's rail at both ends, as allToAll.
type sendRecv struct {
	cut
	l Layout
}

func newSendRecv(s Spec) (Program, error) {
	c, err := newCut(s, s.Bytes, s.chunk(SlotBytes), 1, Slots)
	return &sendRecv{cut: c, l: s.Layout}, err
}

func (p *sendRecv) Ranks() int { return p.l.Ranks() }

func (p *sendRecv) Step(rank, lane, k int, s *Step) bool {
	s.reset()
	lo, hi, _ := p.loop(lane)
	n := p.Ranks()
	if k > 0 || lo == hi || n == 1 {
		return false
	}
	to := mod(rank+1, n)
	t := Transfer{Peer: int32(to), Bytes: hi - lo, Src: lo, Dst: lo}
	if p.l.Node(rank) != p.l.Node(to) {
		t.Rail = int16(1 + p.l.Rail(p.l.Local(to), lane%p.channels))
	}
	s.send(t)
	s.recv(hi - lo)
	return true
}

// send is a single message of sendRecv: from the root to the next rank.
type send struct {
	sendRecv
	root int
}

func newSend(s Spec) (Program, error) {
	c, err := newCut(s, s.Bytes, s.chunk(SlotBytes), 1, Slots)
	return &send{sendRecv{cut: c, l: s.Layout}, s.Root}, err
}

func (p *send) Step(rank, lane, k int, s *Step) bool {
	ok := p.sendRecv.Step(rank, lane, k, s)
	if rank != p.root {
		s.Sends = s.Sends[:0]
	}
	if rank != mod(p.root+1, p.Ranks()) {
		s.Recvs, s.RecvBytes = 0, 0
	}
	return ok
}
