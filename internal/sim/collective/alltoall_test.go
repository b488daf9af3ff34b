package collective

import (
	"slices"
	"testing"
)

// NCCL's order of the peers among 16 ranks is in a comment of src/init.cc.
func TestDistancesAreInTheOrderOfNCCL(t *testing.T) {
	for n, want := range map[int][]int{
		1:  {0},
		3:  {0, 1, 2},
		8:  {0, 1, 3, 6, 2, 7, 5, 4},
		16: {0, 1, 3, 6, 10, 15, 5, 12, 4, 13, 7, 2, 14, 11, 9, 8},
	} {
		if got := distances(n); !slices.Equal(got, want) {
			t.Errorf("%d numbers: %v, want %v", n, got, want)
		}
	}
	for n := 1; n <= 200; n++ {
		got := distances(n)
		slices.Sort(got)
		if len(got) != n || got[0] != 0 || got[n-1] != n-1 || len(slices.Compact(got)) != n {
			t.Errorf("%d numbers: %v", n, got)
		}
	}
}

// A rank sends to all GPUs of a node before it sends to another node.
func TestAnAllToAllGoesNodeByNode(t *testing.T) {
	p, err := New(Spec{Op: AllToAll, Algo: Direct, Layout: Layout{Nodes: 4, PerNode: 4}, Bytes: 16 << 10})
	if err != nil {
		t.Fatal(err)
	}
	var s Step
	var peers []int32
	for lane := range p.Lanes() {
		p.Step(5, lane, 0, &s) // the second of the second node
		peers = append(peers, s.Sends[0].Peer)
	}
	if want := []int32{6, 4, 7, 9, 10, 8, 11, 1, 2, 0, 3, 13, 14, 12, 15}; !slices.Equal(peers, want) {
		t.Errorf("rank 5 sends to %v, want %v", peers, want)
	}
}
