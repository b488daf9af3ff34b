package collective

import (
	"fmt"
	"math/bits"
)

// allToAll has n−1 rounds (NCCL's grouped ncclSend/ncclRecv): in each, a rank sends to the rank that is
// some nodes and some local numbers away, and receives from the one as far in the other direction. So
// in every round each rank and each NIC has one sender and one receiver. The rounds to all GPUs of a
// node follow each other (p2pSchedule in src/init.cc). A round is a lane; the window is the
// number of rounds in flight at a rank. The rank's own part is not moved. A part for another node goes
// in chunks (runSend in src/device/sendrecv.h), one for the own node as a whole.
//
// Data goes from the rank's send buffer to the peer's receive buffer. The parts of the send buffer
// are for rank 0, 1, 2, …, equal within one element; the parts of the receive buffer are from rank
// 0, 1, 2, …, all as long as the rank's own part. Between nodes a transfer uses the receiver's rail
// at both ends (NCCL_P2P_PXN_LEVEL 2, the default), or with Layout.OwnRails each end's own.
type allToAll struct {
	l        Layout
	bytes    int64
	elem     int64
	chunk    int64
	channels int
	window   int
	nodes    []int // the distances of nodes, in the order of the rounds
	locals   []int // the distances of local numbers
}

// allToAllWindow is the number of peers that NCCL serves at once: NCCL_MAX_DEV_WORK_P2P_PER_BATCH
// in src/include/device.h.
const allToAllWindow = 8

func newAllToAll(s Spec) (Program, error) {
	p, err := pairs(s)
	return &p, err
}

// pairs is the division of a spec's data among all pairs.
func pairs(s Spec) (allToAll, error) {
	w := s.Window
	if w == 0 {
		w = allToAllWindow
	}
	chunk := s.chunk(SlotBytes)
	p := allToAll{
		l: s.Layout, bytes: s.Bytes, elem: s.Elem, chunk: max(chunk-chunk%s.Elem, s.Elem), channels: s.Channels, window: w,
		nodes: distances(s.Layout.Nodes), locals: distances(s.Layout.PerNode),
	}
	if _, _, longest, _ := p.part(0, 0); longest > maxPieces*p.chunk {
		return p, fmt.Errorf("collective: parts of %d bytes in chunks of %d are more than %d pieces: take larger chunks", longest, p.chunk, maxPieces)
	}
	return p, nil
}

// distances lists the numbers from 0 to n−1 in NCCL's order: the partial sums of 0, 1, 2, … modulo the
// next power of two. It leaves out sums of n and more.
func distances(n int) (list []int) {
	power := 1 << bits.Len(uint(n-1))
	for round, d := 0, 0; round < power; {
		if d < n {
			list = append(list, d)
		}
		round++
		d = (d + round) % power
	}
	return list
}

// peers are the ranks to which a rank sends in a round, and from which it receives; of round 0 the rank
// itself.
func (p *allToAll) peers(rank, round int) (to, from int) {
	per := p.l.PerNode
	nodes, locals := p.nodes[round/per], p.locals[round%per]
	node, local := p.l.Node(rank), p.l.Local(rank)
	to = (node+nodes)%p.l.Nodes*per + (local+locals)%per
	return to, mod(node-nodes, p.l.Nodes)*per + mod(local-locals, per)
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

// even is the all-to-all whose parts all have the size of the largest: an element more than some.
func (p *allToAll) even() *allToAll {
	q := *p
	q.bytes = ceil(p.bytes, p.Ranks(), p.elem) * int64(p.Ranks())
	return &q
}

func (p *allToAll) Step(rank, lane, k int, s *Step) bool {
	s.reset()
	channel, round := lane%p.channels, lane/p.channels+1
	if k > 0 || p.Ranks() == 1 || p.bytes == 0 {
		return false
	}
	to, from := p.peers(rank, round)
	src, rel, length, whole := p.part(to, channel)
	p.send(s, rank, channel, Transfer{Peer: int32(to), Bytes: length, Src: src, Dst: int64(rank)*whole + rel})
	_, _, length, _ = p.part(rank, channel)
	p.recv(s, rank, from, length)
	return true
}

// send adds a part of a rank for another, in chunks.
func (p *allToAll) send(s *Step, rank, channel int, t Transfer) {
	chunk := p.piece(rank, int(t.Peer), t.Bytes)
	if p.l.Node(rank) != p.l.Node(int(t.Peer)) && !p.l.OwnRails {
		t.Rail = int16(1 + p.l.Rail(p.l.Local(int(t.Peer)), channel))
	}
	s.Pieces = t.Bytes > chunk
	for left := t.Bytes; left > 0; left -= chunk {
		t.Bytes = min(left, chunk)
		s.send(t)
		t.Src, t.Dst = t.Src+t.Bytes, t.Dst+t.Bytes
	}
}

// recv adds the chunks of a part of another rank.
func (p *allToAll) recv(s *Step, rank, from int, bytes int64) {
	chunk := p.piece(rank, from, bytes)
	for left := bytes; left > 0; left -= chunk {
		s.recv(min(left, chunk))
	}
}

// piece is the size of the chunks of a part between two ranks.
func (p *allToAll) piece(a, b int, bytes int64) int64 {
	if p.l.Node(a) == p.l.Node(b) {
		return bytes
	}
	return p.chunk
}
