package collective

import (
	"fmt"
	"math/rand/v2"
)

// twin carries out a program on real data, one message at a time in a random
// order: the dumb double of whoever executes programs. A byte's value is a sum
// of random 64-bit numbers, one for each (rank, byte) that has contributed, so
// that a contribution that is missing, doubled or misplaced shows.
type twin struct {
	p      Program
	l      Layout
	rng    *rand.Rand
	in     [][]uint64 // what a rank sends from
	out    [][]uint64 // what a rank receives into; the same as in if the operation is in place
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
	active []int // per channel: how many are active
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
	t              Transfer
	data           []uint64 // nil: read when it is delivered
}

type sumKey struct {
	node, lane, to, step int
}

type sum struct {
	n    int
	t    Transfer
	data []uint64
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

// run carries the program out.
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

// advance leaves a lane's step and enters the following, as long as there is
// nothing to wait for.
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
		for _, t := range l.step.Sends {
			w.post(r, lane, t)
		}
		w.take(r, lane)
		if l.recvs < l.step.Recvs {
			return
		}
	}
}

func (w *twin) post(r, lane int, t Transfer) {
	if t.Bytes <= 0 {
		w.fail("rank %d lane %d sends %d bytes", r, lane, t.Bytes)
		return
	}
	w.sent[r] += t.Bytes
	node := w.l.Node(r)
	if t.Path == PathMulticast {
		for i := range w.l.PerNode {
			if to := node*w.l.PerNode + i; to != r {
				w.queue(message{from: r, to: to, lane: lane, t: t})
			}
		}
		return
	}
	if t.Path == PathNetReduce {
		w.contribute(r, lane, t)
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
		w.nic[[2]int{node, src}] += t.Bytes
		w.nicIn[[2]int{w.l.Node(to), dst}] += t.Bytes
	}
	w.queue(message{from: r, to: to, lane: lane, t: t})
}

// contribute hands a rank's part of a reduction in the network to its NIC.
func (w *twin) contribute(r, lane int, t Transfer) {
	if int(t.Peer) != r || t.Rail < 1 {
		w.fail("rank %d lane %d contributes for rank %d on rail %d", r, lane, t.Peer, int(t.Rail)-1)
		return
	}
	at := [2]int{w.l.Node(r), int(t.Rail) - 1}
	w.nic[at] += t.Bytes
	w.nicIn[at] += t.Bytes
	w.queue(message{from: r, to: r, lane: lane, t: t})
}

// queue puts a message under way; whether its data is read now or only when it
// arrives is random, for both must do.
func (w *twin) queue(m message) {
	if w.rng.IntN(2) == 0 {
		m.data = w.read(m)
	}
	w.pool = append(w.pool, m)
}

func (w *twin) read(m message) []uint64 {
	buf := w.in[m.from]
	if m.t.Src < 0 || m.t.Src+m.t.Bytes > int64(len(buf)) {
		w.fail("rank %d lane %d reads [%d, %d) of %d", m.from, m.lane, m.t.Src, m.t.Src+m.t.Bytes, len(buf))
		return make([]uint64, m.t.Bytes)
	}
	return append([]uint64(nil), buf[m.t.Src:m.t.Src+m.t.Bytes]...)
}

func (w *twin) deliver(m message) {
	if m.data == nil {
		m.data = w.read(m)
	}
	if m.t.Path == PathNetReduce {
		w.netReduce(m)
		return
	}
	if m.t.Path == PathReduce {
		key := sumKey{w.l.Node(m.from), m.lane, m.to, int(m.t.PeerStep)}
		s := w.sums[key]
		if s == nil {
			s = &sum{t: m.t, data: make([]uint64, m.t.Bytes)}
			w.sums[key] = s
		}
		if s.t != m.t {
			w.fail("rank %d contributes %+v, another %+v", m.from, m.t, s.t)
			return
		}
		for i, v := range m.data {
			s.data[i] += v
		}
		if s.n++; s.n < w.l.PerNode-1 {
			return
		}
		delete(w.sums, key)
		m.data = s.data
	}
	w.arrive(m)
}

// netReduce adds a contribution, and gives the sum to the GPUs of one place in all
// nodes when it is the last.
func (w *twin) netReduce(m message) {
	local := w.l.Local(m.from)
	key := sumKey{-1, m.lane, local, int(m.t.PeerStep)}
	same := m.t
	same.Peer = 0
	s := w.sums[key]
	if s == nil {
		s = &sum{t: same, data: make([]uint64, m.t.Bytes)}
		w.sums[key] = s
	}
	if s.t != same {
		w.fail("rank %d contributes %+v, another %+v", m.from, same, s.t)
		return
	}
	for i, v := range m.data {
		s.data[i] += v
	}
	if s.n++; s.n < w.l.Nodes {
		return
	}
	delete(w.sums, key)
	for node := range w.l.Nodes {
		m.to, m.data = node*w.l.PerNode+local, s.data
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
		case int(m.t.PeerStep) < l.k:
			w.fail("rank %d lane %d in step %d gets a message of rank %d for step %d", r, lane, l.k, m.from, m.t.PeerStep)
		case int(m.t.PeerStep) > l.k:
			keep = append(keep, m)
		default:
			l.recvs++
			l.bytes += m.t.Bytes
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
	buf := w.out[r]
	if m.t.Dst < 0 || m.t.Dst+m.t.Bytes > int64(len(buf)) {
		w.fail("rank %d lane %d writes [%d, %d) of %d", r, m.lane, m.t.Dst, m.t.Dst+m.t.Bytes, len(buf))
		return
	}
	for i, v := range m.data {
		if reduce {
			buf[m.t.Dst+int64(i)] += v
		} else {
			buf[m.t.Dst+int64(i)] = v
		}
	}
}
