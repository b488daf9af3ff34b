package collective

import (
	"fmt"
	"slices"
	"testing"
)

// unnumbered is a step without what tells it from the next one: its number and its places in the buffers.
func unnumbered(p Program, rank, lane, k int) string {
	var s Step
	if !p.Step(rank, lane, k, &s) {
		return "none"
	}
	s.Sends = slices.Clone(s.Sends)
	for i := range s.Sends {
		t := &s.Sends[i]
		t.PeerStep -= int32(k)
		t.Src, t.Dst = 0, 0
	}
	return fmt.Sprint(s)
}

// The steps of a stretch that a Regular program names are alike at every rank, and exist. A program of other steps
// once had the stretches of a ring, whose parts it shares.
func TestAlikeStepsDifferOnlyInTheirNumber(t *testing.T) {
	regular, alike := map[string]bool{}, 0
	for _, s := range programs() {
		for _, l := range []Layout{{4, 1, 0, 0}, {1, 8, 0, 0}, {3, 2, 0, 0}, {4, 4, 0, 0}, {2, 8, 0, 0}, {3, 3, 2, 0}} {
			for _, bytes := range []int64{1 << 20, 48 << 12, 1001} {
				s := s
				s.Layout, s.Bytes, s.Channels = l, bytes, 2
				p, err := New(s)
				if err != nil {
					continue // not on this cluster
				}
				r, is := p.(Regular)
				if !is {
					continue
				}
				regular[fmt.Sprint(s.Op, s.Algo)] = true
				for lane := range min(p.Lanes(), 4) {
					for k := 0; unnumbered(p, 0, lane, k) != "none"; k++ {
						end := r.Alike(lane, k)
						if end <= k {
							t.Fatalf("%v by %v, %v, %d bytes: the stretch from step %d ends at %d", s.Op, s.Algo, l, bytes, k, end)
						}
						for rank := range l.Ranks() {
							for other := k + 1; other < end; other++ {
								alike++
								if a, b := unnumbered(p, rank, lane, k), unnumbered(p, rank, lane, other); a != b {
									t.Fatalf("%v by %v, %v, %d bytes: rank %d, lane %d: step %d is %s, step %d is %s, and Alike(%d) is %d", s.Op, s.Algo, l, bytes, rank, lane, k, a, other, b, k, end)
								}
							}
						}
					}
				}
			}
		}
	}
	if len(regular) != 3 || alike < 1000 {
		t.Errorf("%v are regular, with %d pairs of alike steps, want the three rings", regular, alike)
	}
}
