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

// stretched is a program with stretches of alike steps.
type stretched interface {
	Program
	Regular
}

// each calls a function for every program of the layouts that is a P, at sizes that divide well and badly.
func each[P any](t *testing.T, layouts []Layout, f func(p P, s Spec, name string)) {
	t.Helper()
	for _, s := range programs() {
		for _, l := range layouts {
			for _, bytes := range []int64{1 << 20, 48 << 12, 1001} {
				s.Layout, s.Bytes, s.Channels = l, bytes, 2
				p, err := New(s)
				if err != nil {
					continue // not on this cluster
				}
				if p, is := any(p).(P); is {
					f(p, s, fmt.Sprintf("%v by %v, %v, %d bytes", s.Op, s.Algo, l, bytes))
				}
			}
		}
	}
}

// The steps of a stretch that a Regular program names are alike at every rank, and exist. A program of other steps
// once had the stretches of a ring, whose parts it shares.
func TestAlikeStepsDifferOnlyInTheirNumber(t *testing.T) {
	regular, alike := map[string]bool{}, 0
	each(t, []Layout{{4, 1, 0, 0, false}, {1, 8, 0, 0, false}, {3, 2, 0, 0, false}, {4, 4, 0, 0, false}, {2, 8, 0, 0, false}, {3, 3, 2, 0, false}}, func(p stretched, s Spec, name string) {
		regular[fmt.Sprint(s.Op, s.Algo)] = true
		for lane := range min(p.Lanes(), 4) {
			for k := 0; unnumbered(p, 0, lane, k) != "none"; k++ {
				end := p.Alike(lane, k)
				if end <= k {
					t.Fatalf("%s: the stretch from step %d ends at %d", name, k, end)
				}
				for rank := range s.Layout.Ranks() {
					for other := k + 1; other < end; other++ {
						alike++
						if a, b := unnumbered(p, rank, lane, k), unnumbered(p, rank, lane, other); a != b {
							t.Fatalf("%s: rank %d, lane %d: step %d is %s, step %d is %s, and Alike(%d) is %d", name, rank, lane, k, a, other, b, k, end)
						}
					}
				}
			}
		}
	})
	if len(regular) != 3 || alike < 1000 {
		t.Errorf("%v are regular, with %d pairs of alike steps, want the three rings", regular, alike)
	}
}
