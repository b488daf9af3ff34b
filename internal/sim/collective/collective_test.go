package collective

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// value is a rank's input for a byte.
func value(rank, b int) uint64 {
	x := uint64(rank)<<32 | uint64(b) + 1
	for range 3 {
		x ^= x >> 31
		x *= 0x9e3779b97f4a7c15
	}
	return x
}

// part is the range of a rank's shard.
func shardOf(s Spec, rank int) (int, int) {
	lo, hi := split(0, s.Bytes, s.Layout.Ranks(), rank, max(s.Elem, 1))
	return int(lo), int(hi)
}

// buffers are the ranks' data before the operation.
func buffers(s Spec) (in, out [][]uint64) {
	n := s.Layout.Ranks()
	for r := range n {
		buf := make([]uint64, s.Bytes)
		for b := range buf {
			buf[b] = value(r, b)
		}
		switch s.Op {
		case AllGather:
			lo, hi := shardOf(s, r)
			clear(buf[:lo])
			clear(buf[hi:])
		case Gather:
			lo, hi := shardOf(s, r)
			clear(buf[:lo])
			clear(buf[hi:])
		case Broadcast, Scatter:
			if r != s.Root {
				clear(buf)
			}
		}
		in = append(in, buf)
		switch s.Op {
		case AllToAll:
			lo, hi := shardOf(s, r)
			out = append(out, make([]uint64, n*(hi-lo)))
		case SendRecv, Send:
			out = append(out, make([]uint64, s.Bytes))
		default:
			out = append(out, buf)
		}
	}
	return in, out
}

// want is the value of byte b of a rank's result; false if nothing is said
// about it.
func want(s Spec, rank, b int) (uint64, bool) {
	n := s.Layout.Ranks()
	lo, hi := shardOf(s, rank)
	switch s.Op {
	case Reduce:
		var v uint64
		for r := range n {
			v += value(r, b)
		}
		return v, rank == s.Root
	case ReduceScatter:
		if b < lo || b >= hi {
			return 0, false
		}
		fallthrough
	case AllReduce:
		var v uint64
		for r := range n {
			v += value(r, b)
		}
		return v, true
	case AllGather:
		for r := range n {
			if lo, hi := shardOf(s, r); b >= lo && b < hi {
				return value(r, b), true
			}
		}
	case Broadcast:
		return value(s.Root, b), true
	case Scatter:
		return value(s.Root, b), b >= lo && b < hi
	case Gather:
		for r := range n {
			if lo, hi := shardOf(s, r); b >= lo && b < hi {
				return value(r, b), rank == s.Root
			}
		}
	case AllToAll:
		from := b / (hi - lo)
		return value(from, lo+b%(hi-lo)), from != rank
	case SendRecv:
		return value(mod(rank-1, n), b), n > 1
	case Send:
		return value(s.Root, b), n > 1 && rank == mod(s.Root+1, n)
	}
	return 0, false
}

// check runs a program and compares the result with the operation's definition.
func check(s Spec, seed uint64) (*twin, error) {
	p, err := New(s)
	if err != nil {
		return nil, err
	}
	in, out := buffers(s)
	w := newTwin(p, s.Layout, seed, in, out)
	if err := w.run(); err != nil {
		return w, err
	}
	for r, buf := range w.out {
		for b, got := range buf {
			if want, ok := want(s, r, b); ok && got != want {
				return w, fmt.Errorf("rank %d byte %d is %x, not %x", r, b, got, want)
			}
		}
	}
	var total int64
	for _, b := range w.sent {
		total += b
	}
	if want := traffic(s); total != want {
		return w, fmt.Errorf("%d bytes sent by all ranks, not %d", total, want)
	}
	return w, nil
}

// traffic is the closed form of the bytes that all ranks send together; an
// in-switch reduction or multicast counts once.
func traffic(s Spec) int64 {
	n, nodes, per := int64(s.Layout.Ranks()), int64(s.Layout.Nodes), int64(s.Layout.PerNode)
	switch {
	case n == 1:
		return 0
	case s.Op == AllReduce && s.Algo == NVLS && nodes == 1:
		return per * s.Bytes // (per−1)·S up, S down
	case s.Op == AllReduce && s.Algo == NVLS:
		return nodes * (per + 1) * s.Bytes // and S into the network
	case s.Op == ReduceScatter && (s.Algo == CollNetDirect || s.Algo == NVLS && nodes > 1):
		return nodes * per * s.Bytes // to the other heads, and into the network
	case s.Op == AllGather && s.Algo == CollNetDirect:
		return nodes*(per-1)*s.Bytes + s.Bytes
	case s.Op == AllGather && s.Algo == NVLS && nodes > 1:
		return (nodes + 1) * s.Bytes
	case s.Algo == CollNetDirect || s.Algo == CollNetChain:
		return nodes * (2*(per-1) + 1) * s.Bytes
	case s.Op == AllGather && s.Algo == NVLS:
		return s.Bytes
	case s.Op == AllReduce && s.Algo == NVLSTree:
		return nodes*per*s.Bytes + 2*(nodes-1)*s.Bytes
	case s.Op == AllReduce && s.Algo == HalvingDoubling:
		p2 := int64(1) << log2(int(n))
		return 2*(n-p2)*s.Bytes + 2*(p2-1)*s.Bytes
	case s.Op == AllReduce:
		return 2 * (n - 1) * s.Bytes
	case s.Op == SendRecv:
		return n * s.Bytes
	case s.Op == Send:
		return s.Bytes
	case s.Op == Scatter || s.Op == Gather:
		lo, hi := shardOf(s, s.Root)
		return s.Bytes - int64(hi-lo)
	default:
		return (n - 1) * s.Bytes
	}
}

// programs is every operation with every algorithm.
func programs() []Spec {
	var all []Spec
	for o := range numOps {
		for a := range numAlgos {
			if Has(o, a) {
				all = append(all, Spec{Op: o, Algo: a})
			}
		}
	}
	return all
}

func layouts() []Layout {
	var all []Layout
	for n := 1; n <= 17; n++ {
		all = append(all, Layout{Nodes: n, PerNode: 1})
	}
	for n := 2; n <= 9; n++ {
		all = append(all, Layout{Nodes: 1, PerNode: n})
	}
	return append(all,
		Layout{2, 2, 0, 0, false}, Layout{3, 2, 0, 0, false}, Layout{4, 2, 1, 0, false}, Layout{2, 3, 0, 0, false}, Layout{3, 3, 2, 0, false}, Layout{2, 4, 8, 0, false}, Layout{3, 4, 2, 0, false},
		Layout{4, 4, 0, 0, false}, Layout{5, 4, 1, 0, false}, Layout{2, 8, 0, 0, false}, Layout{3, 8, 4, 0, false}, Layout{4, 8, 8, 0, false}, Layout{3, 5, 7, 0, false}, Layout{2, 4, 5, 0, false}, Layout{3, 4, 6, 0, false}, Layout{2, 8, 3, 0, false}, Layout{2, 8, 12, 0, false}, Layout{11, 3, 0, 0, false}, Layout{33, 1, 2, 0, false})
}

func TestEveryProgramComputesItsOperation(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	pick := func(v ...int64) int64 { return v[rng.IntN(len(v))] }
	for _, p := range programs() {
		t.Run(fmt.Sprintf("%v/%v", p.Op, p.Algo), func(t *testing.T) {
			for _, l := range layouts() {
				if (p.Algo == NVLS || p.Algo == NVLSTree) && l.PerNode < 2 {
					continue
				}
				if (p.Algo == CollNetDirect || p.Algo == CollNetChain) && l.Nodes == 1 {
					continue
				}
				if (p.Algo == CollNetDirect || p.Algo == NVLS && l.Nodes > 1) && p.Op != AllReduce && l.Rails() < l.PerNode {
					continue
				}
				for _, bytes := range []int64{0, 1, 2, 8, 31, 257, pick(1000, 1024, 1536)} {
					s := p
					s.Layout, s.Bytes = l, bytes
					s.Root = rng.IntN(l.Ranks())
					s.Channels = int(pick(1, 2, 3, 8))
					s.Chunk = pick(0, 1, 7, 64)
					s.Slices = int(pick(0, 1, 3))
					s.MinChunk = pick(0, 0, 5)
					s.Window = int(pick(0, 1, 2, 5))
					if bytes%8 == 0 {
						s.Elem = pick(0, 2, 4)
					}
					if s.Chunk > 0 && s.Chunk < 7 && bytes > 300 {
						s.Chunk = 7
					}
					if _, err := check(s, rng.Uint64()); err != nil {
						t.Fatalf("%+v: %v", s, err)
					}
				}
			}
		})
	}
}

func TestANodeOfMoreThan32GPUsHas32Heads(t *testing.T) {
	for _, l := range []Layout{{1, 36, 0, 0, false}, {2, 36, 36, 0, false}, {2, 40, 80, 0, false}, {3, 34, 17, 0, false}, {2, 66, 33, 0, false}} {
		if got, want := l.Heads(), min(MaxHeads, max(l.Rails(), l.PerNode*(2-l.Nodes))); got != want {
			t.Errorf("%+v has %d heads, not %d", l, got, want)
		}
		for _, algo := range []Algo{NVLS, NVLSTree} {
			if algo == NVLSTree && l.Nodes == 1 {
				continue
			}
			for _, bytes := range []int64{8, 257, 4000} {
				s := Spec{Op: AllReduce, Algo: algo, Layout: l, Bytes: bytes, Channels: 2, Chunk: 16}
				if _, err := check(s, 1); err != nil {
					t.Fatalf("%+v: %v", s, err)
				}
			}
		}
		for _, op := range []Op{AllGather, ReduceScatter} {
			if _, err := New(Spec{Op: op, Algo: NVLS, Layout: l, Bytes: 4096, Channels: 1}); err == nil {
				t.Errorf("%v by NVLS on %+v is not refused", op, l)
			}
		}
	}
}

func TestEightBytesOverAHundredAndTwentyEightRanks(t *testing.T) {
	for _, p := range programs() {
		if p.Algo == NVLS {
			continue
		}
		s := p
		s.Layout, s.Bytes, s.Elem, s.Channels = Layout{Nodes: 16, PerNode: 8}, 8, 4, 2
		if _, err := check(s, 1); err != nil {
			t.Errorf("%v by %v: %v", s.Op, s.Algo, err)
		}
	}
}

// Every rank of a ring sends 2(n−1)/n·S in an all-reduce and (n−1)/n·S in a
// reduce-scatter or an all-gather. By halving-doubling it sends 2(n−1)/n·S too.
func TestRanksSendTheClosedForm(t *testing.T) {
	l := Layout{Nodes: 2, PerNode: 4}
	n := int64(l.Ranks())
	const bytes = 8 * 8 * 24
	for _, c := range []struct {
		op   Op
		algo Algo
		want int64
	}{
		{AllReduce, Ring, 2 * (n - 1) * bytes / n},
		{AllReduce, Hierarchical, 2 * (n - 1) * bytes / n},
		{AllReduce, HalvingDoubling, 2 * (n - 1) * bytes / n},
		{AllGather, Ring, (n - 1) * bytes / n},
		{ReduceScatter, Ring, (n - 1) * bytes / n},
		{ReduceScatter, Hierarchical, (n - 1) * bytes / n},
		{AllGather, Hierarchical, (n - 1) * bytes / n},
		{AllGather, Bruck, (n - 1) * bytes / n},
		{ReduceScatter, Bruck, (n - 1) * bytes / n},
		{AllToAll, Direct, (n - 1) * bytes / n},
		{SendRecv, Direct, bytes},
	} {
		w, err := check(Spec{Op: c.op, Algo: c.algo, Layout: l, Bytes: bytes, Channels: 4, Slices: 1}, 3)
		if err != nil {
			t.Errorf("%v by %v: %v", c.op, c.algo, err)
			continue
		}
		for r, got := range w.sent {
			if got != c.want {
				t.Errorf("%v by %v: rank %d sends %d bytes, not %d", c.op, c.algo, r, got, c.want)
			}
		}
	}
}

// busyNIC is the largest share of the message that a NIC sends or receives.
func busyNIC(t *testing.T, s Spec) float64 {
	t.Helper()
	w, err := check(s, 5)
	if err != nil {
		t.Fatalf("%+v: %v", s, err)
	}
	var most int64
	for _, m := range []map[[2]int]int64{w.nic, w.nicIn} {
		for _, b := range m {
			most = max(most, b)
		}
	}
	return float64(most) / float64(s.Bytes)
}

// The rule of NCCL's maintainers (nccl-tests issue 169): on exactly two nodes
// the bus bandwidth of an all-reduce can exceed the rate of the NICs, unless by
// a ring; on more nodes it cannot. By traffic alone the double tree of three
// nodes has some room left too (its busiest NIC carries 3/2·S), that of four
// has none.
func TestTreesBeatTheNICsOnTwoNodesAndRingsNever(t *testing.T) {
	room := map[Algo]map[int]float64{
		Ring:     {2: 1, 3: 1, 4: 1, 5: 1, 6: 1},
		Tree:     {2: 15. / 8, 3: 23. / 18, 4: 31. / 32, 5: 39. / 40, 6: 47. / 48},
		NVLSTree: {2: 15. / 8, 3: 23. / 18, 4: 31. / 32, 5: 39. / 40, 6: 47. / 48},
	}
	for algo, nodes := range room {
		for n, want := range nodes {
			l := Layout{Nodes: n, PerNode: 8}
			s := Spec{Op: AllReduce, Algo: algo, Layout: l, Bytes: 16 * 8 * 60, Channels: 16, Slices: 1, MinChunk: 1}
			busbw := AllReduce.BusFactor(l.Ranks()) / (busyNIC(t, s) * float64(l.Rails()))
			if busbw < want*.98 || busbw > want*1.02 {
				t.Errorf("%v over %d nodes: bus bandwidth up to %.3f of the NICs', not %.3f", algo, n, busbw, want)
			}
		}
	}
}

// Where the network reduces, a NIC sends its part once and gets the result once, on
// any number of nodes: the bus bandwidth may be 2(n−1)/n of the NICs' rate.
func TestReductionInTheNetworkDoublesTheNICs(t *testing.T) {
	for algo, channels := range map[Algo]int{NVLS: 2, CollNetDirect: 2, CollNetChain: 8} { // a chain takes the NIC of its channel
		for _, nodes := range []int{2, 3, 8} {
			l := Layout{Nodes: nodes, PerNode: 8}
			got := busyNIC(t, Spec{Op: AllReduce, Algo: algo, Layout: l, Bytes: 8 * 2 * 60, Channels: channels}) * 8
			if got < .999 || got > 1.001 {
				t.Errorf("%v over %d nodes: the busiest NIC carries its part %.3f times, not once", algo, nodes, got)
			}
		}
	}
}

// In a reduce-scatter a NIC sends its rail's whole vector and gets one shard; in an
// all-gather it sends one shard and gets the whole vector. One direction carries as much
// as a ring carries in each.
func TestShardsThroughTheNetworkLoadOneDirection(t *testing.T) {
	const shard, per = 64, 4
	for _, algo := range []Algo{CollNetDirect, NVLS} {
		for _, nodes := range []int{2, 3, 8} {
			s := Spec{Op: ReduceScatter, Algo: algo, Layout: Layout{Nodes: nodes, PerNode: per}, Bytes: int64(shard * per * nodes), Channels: 2, Chunk: 96}
			for _, op := range []Op{ReduceScatter, AllGather} {
				s.Op = op
				w, err := check(s, 1)
				if err != nil {
					t.Fatal(err)
				}
				much, little := w.nic, w.nicIn
				if op == AllGather {
					much, little = little, much
				}
				for nic, bytes := range much {
					if bytes != int64(shard*nodes) || little[nic] != shard {
						t.Errorf("%v by %v on %d nodes: NIC %v carries %d bytes one way and %d the other, not %d and %d", op, algo, nodes, nic, bytes, little[nic], shard*nodes, shard)
					}
				}
			}
		}
	}
}

// A hierarchical all-reduce reduces in the node first, so its NICs carry only
// 2(N−1)/N·S: its bus bandwidth is N(n−1)/((N−1)n) of the NICs' on any number
// of nodes.
func TestHierarchicalAllReduceSparesTheNICs(t *testing.T) {
	for nodes := 2; nodes <= 6; nodes++ {
		l := Layout{Nodes: nodes, PerNode: 8}
		got := busyNIC(t, Spec{Op: AllReduce, Algo: Hierarchical, Layout: l, Bytes: 8 * 2 * 60, Channels: 2, Slices: 1}) * 8
		want := 2 * float64(nodes-1) / float64(nodes)
		if got < want*.999 || got > want*1.001 {
			t.Errorf("%d nodes: the NICs of a node carry %.4f·S, not %.4f·S", nodes, got, want)
		}
	}
}

func TestRingsStayOnTheirRail(t *testing.T) {
	for _, l := range []Layout{{4, 8, 8, 0, false}, {2, 8, 0, 0, false}, {6, 4, 8, 0, false}, {3, 8, 4, 0, false}, {4, 8, 1, 0, false}, {5, 1, 2, 0, false}, {3, 3, 0, 0, false}} {
		for c := range 16 {
			r := l.ring(c)
			for i := range l.Ranks() {
				a, b := r.at(i), r.at(i+1)
				if r.index(a) != i {
					t.Fatalf("%+v channel %d: place %d is rank %d, whose place is %d", l, c, i, a, r.index(a))
				}
				if l.Node(a) == l.Node(b) {
					continue
				}
				hop := int(r.hop(a, b)) - 1
				if hop < 0 {
					t.Fatalf("%+v channel %d: rank %d to %d crosses rails", l, c, a, b)
				}
				if l.RailGPU(hop) != l.Local(b) {
					t.Errorf("%+v channel %d: rank %d receives over rail %d, which is beside GPU %d", l, c, b, hop, l.RailGPU(hop))
				}
				if !r.alternate {
					continue
				}
				if l.RailGPU(hop) != l.Local(a) {
					t.Errorf("%+v channel %d: rank %d sends over rail %d, which is beside GPU %d", l, c, a, hop, l.RailGPU(hop))
				}
			}
		}
	}
}

// The log in NVIDIA/nccl issue 1453 shows these rings on a DGX H100.
func TestRingOrderIsNCCLs(t *testing.T) {
	for channel, want := range [][]int{{0, 7, 6, 5, 4, 3, 2, 1}, {1, 2, 3, 4, 5, 6, 7, 0}, {2, 1, 0, 7, 6, 5, 4, 3}} {
		r := Layout{Nodes: 2, PerNode: 8}.ring(channel)
		for i, rank := range want {
			if got := r.at(i); got != rank {
				t.Errorf("channel %d place %d is rank %d, not %d", channel, i, got, rank)
			}
		}
	}
}

// A ring over an odd number of nodes crosses rails once, as NCCL's does.
func TestOddRingsCrossRailsOnce(t *testing.T) {
	l := Layout{Nodes: 5, PerNode: 8}
	for c := range 8 {
		r, crossed := l.ring(c), 0
		for i := range l.Ranks() {
			if a, b := r.at(i), r.at(i+1); l.Node(a) != l.Node(b) && r.hop(a, b) == 0 {
				crossed++
			}
		}
		if crossed != 1 {
			t.Errorf("channel %d crosses rails %d times", c, crossed)
		}
	}
}

func TestRailsBelongToTheirGPU(t *testing.T) {
	for per := 1; per <= 16; per++ {
		for nics := 1; nics <= 16; nics++ {
			l := Layout{Nodes: 1, PerNode: per, NICs: nics}
			for local := range per {
				for c := range 16 {
					rail := l.Rail(local, c)
					if rail < 0 || rail >= nics {
						t.Fatalf("%+v: GPU %d takes rail %d", l, local, rail)
					}
					if nics >= per && l.RailGPU(rail) != local {
						t.Fatalf("%+v: GPU %d takes rail %d of GPU %d", l, local, rail, l.RailGPU(rail))
					}
				}
			}
			for rail := range nics {
				first, own := l.NICsOf(l.RailGPU(rail))
				if rail < first || rail >= first+own {
					t.Fatalf("%+v: rail %d is beside GPU %d, whose own are %d from %d on", l, rail, l.RailGPU(rail), own, first)
				}
			}
		}
	}
}

// In each round of an all-to-all the ranks of a node leave over different rails
// and their data arrives over different rails.
func TestAllToAllRoundsSpreadOverTheRails(t *testing.T) {
	l := Layout{Nodes: 3, PerNode: 8}
	p, err := New(Spec{Op: AllToAll, Algo: Direct, Layout: l, Bytes: 24 * 64})
	if err != nil {
		t.Fatal(err)
	}
	var s Step
	for lane := range p.Lanes() {
		out, in := map[[2]int]bool{}, map[[2]int]bool{}
		for r := range l.Ranks() {
			p.Step(r, lane, 0, &s)
			x := s.Sends[0]
			if l.Node(r) == l.Node(int(x.Peer)) {
				continue
			}
			a, b := [2]int{l.Node(r), int(x.Rail)}, [2]int{l.Node(int(x.Peer)), int(x.Rail)}
			if out[a] || in[b] {
				t.Errorf("round %d: rank %d shares rail %d", lane, r, x.Rail-1)
			}
			out[a], in[b] = true, true
		}
	}
}

// A part for another node goes in chunks, which are the pieces of one message; a part for the own node goes
// as a whole.
func TestPartsForOtherNodesGoInChunks(t *testing.T) {
	for _, op := range []Op{AllToAll, Scatter, Gather} {
		p, err := New(Spec{Op: op, Algo: Direct, Layout: Layout{Nodes: 2, PerNode: 2}, Bytes: 4 * 100, Chunk: 32})
		if err != nil {
			t.Fatal(err)
		}
		var s, there Step
		for lane := range p.Lanes() {
			for rank := range p.Ranks() {
				if !p.Step(rank, lane, 0, &s) || len(s.Sends) == 0 {
					continue
				}
				var sizes []int64
				for _, piece := range s.Sends {
					sizes = append(sizes, piece.Bytes)
				}
				want := []int64{32, 32, 32, 4}
				if rank/2 == int(s.Sends[0].Peer)/2 {
					want = []int64{100}
				}
				if !slices.Equal(sizes, want) || s.Pieces != (len(want) > 1) {
					t.Errorf("%v: rank %d sends to %d messages of %v, pieces of one %v: want %v", op, rank, s.Sends[0].Peer, sizes, s.Pieces, want)
				}
				if p.Step(int(s.Sends[0].Peer), lane, 0, &there); there.Recvs != len(want) {
					t.Errorf("%v: rank %d waits for %d messages, want %d", op, s.Sends[0].Peer, there.Recvs, len(want))
				}
			}
		}
	}
	if _, err := New(Spec{Op: AllToAll, Algo: Direct, Layout: Layout{Nodes: 2, PerNode: 1}, Bytes: 1 << 30, Chunk: 1}); err == nil {
		t.Error("parts of 2^29 pieces are not refused")
	}
}

// The trees drawn in src/graph/trees.cc of NCCL.
func TestDoubleTreeIsNCCLs(t *testing.T) {
	for _, c := range []struct {
		n, tree int
		up      []int
	}{
		{14, 0, []int{-1, 2, 4, 2, 8, 6, 4, 6, 0, 10, 12, 10, 8, 12}},
		{12, 1, []int{1, 3, 1, 11, 5, 7, 5, 3, 9, 7, 9, -1}},
		{13, 1, []int{9, -1, 3, 5, 3, 9, 7, 5, 7, 1, 11, 0, 11}},
	} {
		for v := range c.n {
			if got := dtree(c.n, v, c.tree).up; got != c.up[v] {
				t.Errorf("tree %d of %d: parent of %d is %d, not %d", c.tree, c.n, v, got, c.up[v])
			}
		}
	}
}

// In every pair of trees: one root each, parents and children agree, depth is
// logarithmic, and no vertex is inner in both trees unless n is odd.
func TestDoubleTreesAreComplementary(t *testing.T) {
	for n := 1; n <= 130; n++ {
		inner := make([]int, n)
		for tree := range 2 {
			roots := 0
			for v := range n {
				x := dtree(n, v, tree)
				if x.up < 0 {
					roots++
					if v != dtreeRoot(n, tree) {
						t.Errorf("n %d tree %d: %d is a root, not %d", n, tree, v, dtreeRoot(n, tree))
					}
				} else if d := dtree(n, x.up, tree).down; d[0] != v && d[1] != v {
					t.Errorf("n %d tree %d: %d is no child of its parent %d", n, tree, v, x.up)
				}
				depth := 0
				for u := v; u >= 0 && depth <= n; depth++ {
					u = dtree(n, u, tree).up
				}
				if depth > log2(n)+2 {
					t.Errorf("n %d tree %d: %d is at depth %d", n, tree, v, depth)
				}
				if x.down[0] >= 0 || x.down[1] >= 0 {
					inner[v]++
				}
			}
			if roots != 1 {
				t.Errorf("n %d tree %d has %d roots", n, tree, roots)
			}
		}
		for v, times := range inner {
			if times > 1 && n%2 == 0 {
				t.Errorf("n %d: %d is an inner vertex of both trees", n, v)
			}
		}
	}
}

func TestStepsDoNotAllocate(t *testing.T) {
	for _, p := range programs() {
		s := p
		s.Layout, s.Bytes, s.Channels = Layout{Nodes: 1250, PerNode: 8}, 1<<30, 16
		if s.Algo == NVLS {
			s.Layout.Nodes = 1
		}
		program, err := New(s)
		if err != nil {
			t.Fatal(err)
		}
		var step Step
		program.Step(5, 3, 0, &step)
		k := 0
		allocs := testing.AllocsPerRun(100, func() {
			program.Step(s.Layout.Ranks()/2+k, 3, k%2, &step)
			k++
		})
		if allocs > 0 {
			t.Errorf("%v by %v: %v allocations a step", s.Op, s.Algo, allocs)
		}
	}
}

func TestSpecsThatMakeNoSenseAreRefused(t *testing.T) {
	good := Spec{Layout: Layout{Nodes: 2, PerNode: 8}, Bytes: 1024}
	for name, spoil := range map[string]func(*Spec){
		"no nodes":             func(s *Spec) { s.Layout.Nodes = 0 },
		"too many ranks":       func(s *Spec) { s.Layout.Nodes = MaxRanks },
		"negative size":        func(s *Spec) { s.Bytes = -1 },
		"half an element":      func(s *Spec) { s.Bytes, s.Elem = 1022, 4 },
		"a root outside":       func(s *Spec) { s.Root = 16 },
		"too many channels":    func(s *Spec) { s.Channels = MaxChannels + 1 },
		"a negative chunk":     func(s *Spec) { s.Chunk = -1 },
		"too many lanes":       func(s *Spec) { s.Bytes, s.Chunk, s.Channels = 1<<50, 1, 1 },
		"nvls, few NICs":       func(s *Spec) { s.Op, s.Algo, s.Layout.NICs = AllGather, NVLS, 1 },
		"collnet, few NICs":    func(s *Spec) { s.Op, s.Algo, s.Layout.NICs = ReduceScatter, CollNetDirect, 1 },
		"collnet on one node":  func(s *Spec) { s.Algo, s.Layout.Nodes = CollNetDirect, 1 },
		"a chain on one node":  func(s *Spec) { s.Algo, s.Layout.Nodes = CollNetChain, 1 },
		"nvls with one GPU":    func(s *Spec) { s.Algo, s.Layout.PerNode = NVLSTree, 1 },
		"a broadcast by nvls":  func(s *Spec) { s.Op, s.Algo = Broadcast, NVLS },
		"an unknown operation": func(s *Spec) { s.Op = numOps },
	} {
		s := good
		spoil(&s)
		if p, err := New(s); err == nil || p != nil {
			t.Errorf("%s: program %v, error %v", name, p, err)
		}
	}
	if _, err := New(good); err != nil {
		t.Error(err)
	}
}

func TestBusFactorsAreThoseOfNCCLTests(t *testing.T) {
	for op, want := range map[Op]float64{AllReduce: 1.75, AllGather: .875, ReduceScatter: .875, AllToAll: .875, Broadcast: 1, SendRecv: 1, Reduce: 1, Scatter: .875, Gather: .875} {
		if got := op.BusFactor(8); got != want {
			t.Errorf("%v: %v, not %v", op, got, want)
		}
	}
}

// NCCL's slices have 32 KiB at least (genericOp, src/device/prims_simple.h): a chunk of 24 KiB is one
// message, one of 40 KiB is two, and one of 80 KiB two halves. The lane of a slice without data has no steps: a ring of
// 16,384 ranks would have 32,766 in each.
func TestASmallChunkIsOneSlice(t *testing.T) {
	for _, c := range []struct {
		chunk int64
		want  []int64
	}{
		{24 << 10, []int64{24 << 10, 0}},
		{40 << 10, []int64{32 << 10, 8 << 10}},
		{80 << 10, []int64{40 << 10, 40 << 10}},
	} {
		for _, op := range []Op{AllReduce, AllGather} {
			p, err := New(Spec{Op: op, Algo: Ring, Layout: Layout{Nodes: 1, PerNode: 4, NICs: 4}, Bytes: 4 * c.chunk})
			if err != nil {
				t.Fatal(err)
			}
			var got []int64
			for lane := range p.Lanes() {
				var s Step
				if has := p.Step(0, lane, 0, &s); has != (c.want[lane] > 0) {
					t.Errorf("%v: a slice of %d bytes has steps: %v", op, c.want[lane], has)
				}
				sum := int64(0)
				for _, x := range s.Sends {
					sum += x.Bytes
				}
				got = append(got, sum)
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("%v: a chunk of %d bytes is slices of %v, want %v", op, c.chunk, got, c.want)
			}
		}
	}
}
