package collective

import (
	"fmt"
	"math/rand/v2"
	"slices"
)

// twin runs a program on real data, one message at a time in a random order: the
// dumb twin of the executor. A byte's value is a sum of random 64-bit numbers, one for
// each (rank, byte) that has contributed, so that a missing, doubled or misplaced
// contribution shows.
type twin struct {
	p      Program
	l      Layout
	rng    *rand.Rand
	in     [][]uint64 // the send buffer of a rank
	out    [][]uint64 // the receive buffer of a rank; the same as in if the operation is in place
	ranks  []twinRank
	pool   []message
	sums   map[sumKey]*sum
	sent   []int64 // bytes per rank, to other ranks
	nic    map[[2]int]int64
	nicIn  map[[2]int]int64
	failed error
}

type twinRank struct {
	next   []int // per channel: the next lane to enter
	active []int // per channel: the number of active lanes
	lanes  map[int]*twinLane
	early  map[int][]message // per lane: arrived, not yet used
	done   int
}

type twinLane struct {
	k     int
	step  Step
	recvs int
	bytes int64
}

type message struct {
	from, to, lane int
	parts          []Transfer
	data           []uint64 // nil: read when it is delivered
}

// bytesOf is the length of a message of several parts.
func bytesOf(parts []Transfer) (n int64) {
	for i := range parts {
		n += parts[i].Bytes
	}
	return n
}

type sumKey struct {
	node, lane, to, step int
}

type sum struct {
	n     int
	parts []Transfer
	data  []uint64
}

func newTwin(p Program, l Layout, seed uint64, in, out [][]uint64) *twin {
	w := &twin{
		p: p, l: l, rng: rand.New(rand.NewPCG(seed, 1)), in: in, out: out,
		sums: map[sumKey]*sum{}, sent: make([]int64, p.Ranks()), nic: map[[2]int]int64{}, nicIn: map[[2]int]int64{},
	}
	for range p.Ranks() {
		r := twinRank{next: make([]int, p.Channels()), active: make([]int, p.Channels()), lanes: map[int]*twinLane{}, early: map[int][]message{}}
		for c := range r.next {
			r.next[c] = c
		}
		w.ranks = append(w.ranks, r)
	}
	return w
}

func (w *twin) fail(format string, args ...any) {
	if w.failed == nil {
		w.failed = fmt.Errorf(format, args...)
	}
}

// run runs the program.
func (w *twin) run() error {
	for _, r := range w.rng.Perm(w.p.Ranks()) {
		for c := range w.p.Channels() {
			w.enter(r, c)
		}
	}
	for len(w.pool) > 0 && w.failed == nil {
		i := w.rng.IntN(len(w.pool))
		m := w.pool[i]
		w.pool[i] = w.pool[len(w.pool)-1]
		w.pool = w.pool[:len(w.pool)-1]
		w.deliver(m)
	}
	for r := range w.ranks {
		if got := w.ranks[r].done; got != w.p.Lanes() {
			w.fail("deadlock: rank %d has done %d of %d lanes", r, got, w.p.Lanes())
		}
		for lane, ms := range w.ranks[r].early {
			if len(ms) > 0 {
				w.fail("rank %d lane %d: %d messages nobody waits for", r, lane, len(ms))
			}
		}
	}
	for k, s := range w.sums {
		w.fail("reduction for rank %d lane %d step %d has only %d contributions", k.to, k.lane, k.step, s.n)
	}
	return w.failed
}

// enter starts lanes of a channel as far as the window allows.
func (w *twin) enter(r, c int) {
	rank := &w.ranks[r]
	for rank.active[c] < w.p.Window() && rank.next[c] < w.p.Lanes() && w.failed == nil {
		lane := rank.next[c]
		rank.next[c] += w.p.Channels()
		rank.active[c]++
		rank.lanes[lane] = &twinLane{k: -1}
		w.advance(r, lane)
	}
}

// advance moves a lane to its next step, as long as the step waits for no message.
func (w *twin) advance(r, lane int) {
	rank := &w.ranks[r]
	l := rank.lanes[lane]
	for w.failed == nil {
		l.k++
		l.recvs, l.bytes = 0, 0
		if !w.p.Step(r, lane, l.k, &l.step) {
			delete(rank.lanes, lane)
			rank.active[lane%w.p.Channels()]--
			rank.done++
			w.enter(r, lane%w.p.Channels())
			return
		}
		for sends := l.step.Sends; len(sends) > 0; {
			n := 1
			for sends[n-1].More {
				n++
			}
			w.post(r, lane, slices.Clone(sends[:n]))
			sends = sends[n:]
		}
		w.take(r, lane)
		if l.recvs < l.step.Recvs {
			return
		}
	}
}

func (w *twin) post(r, lane int, parts []Transfer) {
	t := parts[0]
	for _, part := range parts {
		if part.Bytes <= 0 || part.Path != t.Path || part.PeerStep != t.PeerStep || part.Rail != t.Rail || part.Peer != t.Peer && t.Path != PathNetScatter {
			w.fail("rank %d lane %d sends %+v", r, lane, parts)
			return
		}
	}
	bytes := bytesOf(parts)
	w.sent[r] += bytes
	node := w.l.Node(r)
	if t.Path == PathMulticast {
		for i := range w.l.PerNode {
			if to := node*w.l.PerNode + i; to != r {
				w.queue(message{from: r, to: to, lane: lane, parts: parts})
			}
		}
		return
	}
	if t.Path.InNetwork() {
		w.contribute(r, lane, parts)
		return
	}
	to := int(t.Peer)
	if to < 0 || to >= w.p.Ranks() || to == r {
		w.fail("rank %d lane %d sends to rank %d", r, lane, to)
		return
	}
	if w.l.Node(to) != node {
		if t.Path != PathAuto {
			w.fail("rank %d lane %d: path %d to another node", r, lane, t.Path)
		}
		src, dst := w.l.Rail(w.l.Local(r), lane%w.p.Channels()), w.l.Rail(w.l.Local(to), lane%w.p.Channels())
		if t.Rail > 0 {
			src, dst = int(t.Rail)-1, int(t.Rail)-1
		}
		w.nic[[2]int{node, src}] += bytes
		w.nicIn[[2]int{w.l.Node(to), dst}] += bytes
	}
	w.queue(message{from: r, to: to, lane: lane, parts: parts})
}

// contribute hands a rank's data for the network to reduce or copy to its NIC.
func (w *twin) contribute(r, lane int, parts []Transfer) {
	for i := range parts {
		t := &parts[i]
		if t.Rail < 1 || t.Path != PathNetScatter && int(t.Peer) != r || w.l.Local(int(t.Peer)) != w.l.Local(r) {
			w.fail("rank %d lane %d contributes for rank %d on rail %d", r, lane, t.Peer, int(t.Rail)-1)
			return
		}
		w.nic[[2]int{w.l.Node(r), int(t.Rail) - 1}] += t.Bytes
	}
	w.queue(message{from: r, to: r, lane: lane, parts: parts})
}

// queue sends a message. Its data is read now or on arrival, at random: programs
// must work with both.
func (w *twin) queue(m message) {
	if w.rng.IntN(2) == 0 {
		m.data = w.read(m)
	}
	w.pool = append(w.pool, m)
}

func (w *twin) read(m message) (data []uint64) {
	buf := w.in[m.from]
	for _, t := range m.parts {
		if t.Src < 0 || t.Src+t.Bytes > int64(len(buf)) {
			w.fail("rank %d lane %d reads [%d, %d) of %d", m.from, m.lane, t.Src, t.Src+t.Bytes, len(buf))
			return make([]uint64, bytesOf(m.parts))
		}
		data = append(data, buf[t.Src:t.Src+t.Bytes]...)
	}
	return data
}

func (w *twin) deliver(m message) {
	if m.data == nil {
		m.data = w.read(m)
	}
	switch m.parts[0].Path {
	case PathNetGather:
		w.toPlace(m)
	case PathNetReduce, PathNetScatter:
		w.netReduce(m)
	case PathReduce:
		key := sumKey{w.l.Node(m.from), m.lane, m.to, int(m.parts[0].PeerStep)}
		if m.data = w.add(key, m, m.parts, w.l.PerNode-1); m.data != nil {
			w.arrive(m)
		}
	default:
		w.arrive(m)
	}
}

// add adds a contribution to a sum, and gives the sum with the last contribution.
func (w *twin) add(key sumKey, m message, same []Transfer, of int) []uint64 {
	s := w.sums[key]
	if s == nil {
		s = &sum{parts: same, data: make([]uint64, len(m.data))}
		w.sums[key] = s
	}
	if !slices.Equal(s.parts, same) {
		w.fail("rank %d contributes %+v, another %+v", m.from, same, s.parts)
		return nil
	}
	for i, v := range m.data {
		s.data[i] += v
	}
	if s.n++; s.n < of {
		return nil
	}
	delete(w.sums, key)
	return s.data
}

// netReduce adds a contribution, and gives the sum to the GPUs of one place in all
// nodes when it is the last, or each part to its GPU.
func (w *twin) netReduce(m message) {
	same := slices.Clone(m.parts)
	if m.parts[0].Path == PathNetReduce {
		same[0].Peer = 0
	}
	key := sumKey{-1, m.lane, w.l.Local(m.from), int(m.parts[0].PeerStep)}
	if m.data = w.add(key, m, same, w.l.Nodes); m.data == nil {
		return
	}
	if m.parts[0].Path == PathNetReduce {
		w.toPlace(m)
		return
	}
	data := m.data
	for i, t := range m.parts {
		m.to, m.parts, m.data = int(t.Peer), same[i:i+1], data[:t.Bytes]
		data = data[t.Bytes:]
		w.nicIn[[2]int{w.l.Node(m.to), int(t.Rail) - 1}] += t.Bytes
		w.arrive(m)
	}
}

// toPlace brings a message to the GPUs of the sender's place in all nodes.
func (w *twin) toPlace(m message) {
	local := w.l.Local(m.from)
	for node := range w.l.Nodes {
		m.to = node*w.l.PerNode + local
		w.nicIn[[2]int{node, int(m.parts[0].Rail) - 1}] += bytesOf(m.parts)
		w.arrive(m)
	}
}

// arrive brings a message to its rank.
func (w *twin) arrive(m message) {
	rank := &w.ranks[m.to]
	rank.early[m.lane] = append(rank.early[m.lane], m)
	l := rank.lanes[m.lane]
	if l == nil {
		return
	}
	w.take(m.to, m.lane)
	if l.step.Recvs > 0 && l.recvs == l.step.Recvs {
		w.advance(m.to, m.lane)
	}
}

// take uses the messages that have arrived for the current step of a lane.
func (w *twin) take(r, lane int) {
	rank := &w.ranks[r]
	l := rank.lanes[lane]
	keep := rank.early[lane][:0]
	for _, m := range rank.early[lane] {
		switch {
		case int(m.parts[0].PeerStep) < l.k:
			w.fail("rank %d lane %d in step %d gets a message of rank %d for step %d", r, lane, l.k, m.from, m.parts[0].PeerStep)
		case int(m.parts[0].PeerStep) > l.k:
			keep = append(keep, m)
		default:
			l.recvs++
			l.bytes += int64(len(m.data))
			w.write(r, m, l.step.Reduce)
		}
	}
	rank.early[lane] = keep
	if l.recvs > l.step.Recvs {
		w.fail("rank %d lane %d step %d gets %d messages and waits for %d", r, lane, l.k, l.recvs, l.step.Recvs)
	}
	if l.recvs == l.step.Recvs && l.bytes != l.step.RecvBytes {
		w.fail("rank %d lane %d step %d gets %d bytes and waits for %d", r, lane, l.k, l.bytes, l.step.RecvBytes)
	}
}

func (w *twin) write(r int, m message, reduce bool) {
	buf, data := w.out[r], m.data
	for _, t := range m.parts {
		if t.Dst < 0 || t.Dst+t.Bytes > int64(len(buf)) {
			w.fail("rank %d lane %d writes [%d, %d) of %d", r, m.lane, t.Dst, t.Dst+t.Bytes, len(buf))
			return
		}
		for i, v := range data[:t.Bytes] {
			if reduce {
				buf[t.Dst+int64(i)] += v
			} else {
				buf[t.Dst+int64(i)] = v
			}
		}
		data = data[t.Bytes:]
	}
}
