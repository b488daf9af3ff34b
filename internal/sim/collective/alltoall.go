package collective

// allToAll has n−1 rounds: in round i rank r sends to r+i and receives from r−i, so that in every
// round each rank and each NIC has one sender and one receiver (NCCL's grouped ncclSend/ncclRecv;
// the schedule is the pairwise exchange of MPI libraries). A round is a lane; the window is the
// number of rounds in flight at a rank. The rank's own part is not moved.
//
// Data goes from the rank's send buffer to the peer's receive buffer. The parts of the send buffer
// are for rank 0, 1, 2, …, equal within one element; the parts of the receive buffer are from rank
// 0, 1, 2, …, all as long as the rank's own part. Between nodes a transfer uses the receiver's rail
// at both ends (NCCL_P2P_PXN_LEVEL 2, the default).
type allToAll struct {
	l        Layout
	bytes    int64
	elem     int64
	channels int
	window   int
}

// allToAllWindow is the number of peers that NCCL serves at once: NCCL_MAX_DEV_WORK_P2P_PER_BATCH
// in src/include/device.h.
const allToAllWindow = 8

func newAllToAll(s Spec) (Program, error) {
	p := pairs(s)
	return &p, nil
}

// pairs is the division of a spec's data among all pairs.
func pairs(s Spec) allToAll {
	w := s.Window
	if w == 0 {
		w = allToAllWindow
	}
	return allToAll{l: s.Layout, bytes: s.Bytes, elem: s.Elem, channels: s.Channels, window: w}
}

func (p *allToAll) Ranks() int    { return p.l.Ranks() }
func (p *allToAll) Lanes() int    { return p.channels * max(p.Ranks()-1, 1) }
func (p *allToAll) Channels() int { return p.channels }
func (p *allToAll) Window() int   { return p.window }

// part is the position of a channel's share of the data for a rank: in the sender's buffer, and
// relative to the start of the sender's part in the receiver's buffer, whose parts are whole bytes
// long.
func (p *allToAll) part(to, channel int) (src, rel, length, whole int64) {
	lo, hi := split(0, p.bytes, p.Ranks(), to, p.elem)
	a, b := split(lo, hi, p.channels, channel, p.elem)
	return a, a - lo, b - a, hi - lo
}

func (p *allToAll) Step(rank, lane, k int, s *Step) bool {
	s.reset()
	n := p.Ranks()
	channel, round := lane%p.channels, lane/p.channels+1
	if k > 0 || n == 1 || p.bytes == 0 {
		return false
	}
	to := mod(rank+round, n)
	src, rel, length, whole := p.part(to, channel)
	t := Transfer{Peer: int32(to), Bytes: length, Src: src, Dst: int64(rank)*whole + rel}
	if p.l.Node(rank) != p.l.Node(to) {
		t.Rail = int16(1 + p.l.Rail(p.l.Local(to), channel))
	}
	s.send(t)
	_, _, length, _ = p.part(rank, channel)
	s.recv(length)
	return true
}
