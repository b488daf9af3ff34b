package collective

import (
	"fmt"
	"testing"
)

// The GPUs of a node do the same, each on its own rail: what one does is what the first does, with
// all local numbers and rails turned by its own number. So the program of one rail stands for all.
func TestGPUsOfANodeDoTheSame(t *testing.T) {
	l := Layout{Nodes: 3, PerNode: 4}
	for _, spec := range []Spec{
		{Op: AllToAll, Algo: Direct, Bytes: 12 * 40 << 10, Channels: 2, Chunk: 16 << 10},
		{Op: AllReduce, Algo: NVLSTree, Bytes: 1 << 20, Channels: 2, Chunk: 16 << 10},
	} {
		spec.Layout = l
		p, err := New(spec)
		if err != nil {
			t.Fatal(err)
		}
		one := OneRail(p)
		if one == nil {
			t.Errorf("%v: no program of one rail", spec.Op)
			continue
		}
		for rank := range p.Ranks() {
			if text := unlikeFirst(p, one, l, rank); text != "" {
				t.Errorf("%v: %s", spec.Op, text)
			}
		}
	}
}

// unlikeFirst describes the first step of a rank that is not that of its node on one rail; empty if there is none.
func unlikeFirst(p, one Program, l Layout, rank int) string {
	var s, first Step
	for lane := range p.Lanes() {
		for k := 0; ; k++ {
			more, also := p.Step(rank, lane, k, &s), one.Step(l.Node(rank), lane, k, &first)
			if more != also || s.Recvs != first.Recvs || s.RecvBytes != first.RecvBytes || len(s.Sends) != len(first.Sends) {
				return fmt.Sprintf("rank %d, lane %d, step %d: %+v, on one rail %+v", rank, lane, k, s, first)
			}
			if !more {
				break
			}
			for i, sent := range s.Sends {
				if sent.Peer >= 0 {
					sent.Peer /= int32(l.PerNode)
				}
				if sent.Rail > 0 {
					sent.Rail = int16(1 + mod(int(sent.Rail)-1-l.Local(rank), l.PerNode))
				}
				want := first.Sends[i]
				sent.Src, sent.Dst, want.Src, want.Dst = 0, 0, 0, 0
				if sent != want {
					return fmt.Sprintf("rank %d, lane %d, step %d sends %+v, on one rail %+v", rank, lane, k, sent, want)
				}
			}
		}
	}
	return ""
}
