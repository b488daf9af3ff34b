package collective

import (
	"fmt"
	"testing"
)

// unmatched describes the first message that has a sender without a waiting receiver, or a waiting
// receiver without a sender; empty if all messages match.
func unmatched(p Program, perNode int) string {
	type place struct{ rank, lane, step int }
	sent := make(map[place]int64)
	var s Step
	visit := func(f func(at place)) {
		for rank := range p.Ranks() {
			for lane := range p.Lanes() {
				for k := 0; p.Step(rank, lane, k, &s); k++ {
					f(place{rank, lane, k})
				}
			}
		}
	}
	reduced := make(map[place]int)
	visit(func(at place) {
		for _, t := range s.Sends {
			to := place{int(t.Peer), at.lane, int(t.PeerStep)}
			switch t.Path {
			case PathAuto:
				sent[to] += t.Bytes
			case PathReduce:
				if reduced[to]++; reduced[to] == perNode-1 {
					sent[to] += t.Bytes
				}
			case PathMulticast:
				for i := range perNode {
					if to.rank = at.rank/perNode*perNode + i; to.rank != at.rank {
						sent[to] += t.Bytes
					}
				}
			}
		}
	})
	wrong := ""
	visit(func(at place) {
		if sent[at] != s.RecvBytes {
			wrong = fmt.Sprintf("rank %d, lane %d, step %d: %d bytes are sent, %d are awaited", at.rank, at.lane, at.step, sent[at], s.RecvBytes)
		}
		delete(sent, at)
	})
	for at, bytes := range sent {
		wrong = fmt.Sprintf("%d bytes are sent to rank %d, lane %d, step %d, which is none", bytes, at.rank, at.lane, at.step)
	}
	return wrong
}

// A part of a program is a program: who waits for a message gets it. It has the pieces that it says.
func TestAPartIsAProgram(t *testing.T) {
	layout := Layout{Nodes: 4, PerNode: 4}
	shortened := make(map[string]bool)
	for _, s := range programs() {
		s.Layout, s.Bytes, s.Channels, s.Chunk = layout, 12<<20, 2, 64<<10
		p, err := New(s)
		if err != nil {
			continue
		}
		name := fmt.Sprintf("%v by %v", s.Op, s.Algo)
		whole := ExtentOf(p)
		for _, n := range []int{4, 8, 9, whole.Pieces} {
			part, pieces := Part(p, n)
			if s.Algo != NVLS && s.Algo != CollNetDirect && s.Algo != CollNetChain { // their messages go through the network's trees
				if text := unmatched(part, layout.PerNode); text != "" {
					t.Errorf("%s, %d of %d %s: %s", name, pieces, whole.Pieces, whole.Of, text)
				}
			}
			if pieces > whole.Pieces || pieces < whole.Pieces && pieces > n+1 {
				t.Errorf("%s: a part of %d pieces has %d of %d", name, n, pieces, whole.Pieces)
			}
			if pieces == whole.Pieces {
				continue
			}
			shortened[name] = true
			if got := ExtentOf(part); whole.Of != "steps" && part.Lanes()*whole.Pieces != p.Lanes()*pieces {
				t.Errorf("%s: %d of %d lanes for %d of %d pieces (%v)", name, part.Lanes(), p.Lanes(), pieces, whole.Pieces, got)
			}
			if first, all := volume(part), volume(p); first*int64(whole.Pieces) < all*int64(pieces)*8/10 || first*int64(whole.Pieces) > all*int64(pieces)*12/10 {
				t.Errorf("%s: %d of %d pieces move %d of %d bytes", name, pieces, whole.Pieces, first, all)
			}
		}
	}
	for _, name := range []string{"all-reduce by ring", "all-reduce by tree", "all-reduce by nvls-tree", "all-reduce by nvls", "all-gather by ring", "all-to-all by direct", "broadcast by ring", "reduce by ring", "send/recv by direct"} {
		if !shortened[name] {
			t.Errorf("%s has not been shortened", name)
		}
	}
}

// A ring among many ranks has one loop of many steps, and a part of it has fewer of them.
func TestAPartOfARingHasFewerSteps(t *testing.T) {
	for _, op := range []Op{AllReduce, AllGather, ReduceScatter} {
		p, err := New(Spec{Op: op, Algo: Ring, Layout: Layout{Nodes: 16, PerNode: 2}, Bytes: 32 << 16, Channels: 2})
		if err != nil {
			t.Fatal(err)
		}
		whole := ExtentOf(p)
		stretches := 1
		if op == AllReduce {
			stretches = 2
		}
		if whole.Of != "steps" || whole.Pieces != 31*stretches || whole.Stretches != stretches {
			t.Errorf("%v: the work is %+v", op, whole)
		}
		part, pieces := Part(p, 10*stretches)
		if text := unmatched(part, 2); text != "" || pieces != 10*stretches {
			t.Errorf("%v: a part of %d steps: %s", op, pieces, text)
		}
	}
}

// volume is the bytes that a program's ranks send.
func volume(p Program) (bytes int64) {
	var s Step
	for rank := range p.Ranks() {
		for lane := range p.Lanes() {
			for k := 0; p.Step(rank, lane, k, &s); k++ {
				for _, t := range s.Sends {
					bytes += t.Bytes
				}
			}
		}
	}
	return bytes
}
