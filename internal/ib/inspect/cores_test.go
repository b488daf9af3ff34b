package inspect

import (
	"fmt"
	"strings"
	"testing"

	"weft/internal/ib/subnet"
)

// pods is a tree of three levels: each spine of a pod has cables to cores of its own group.
type pods struct {
	pods, leaves, spines int // leaves and spines of a pod
	cores                int // of a spine
	cables               int // from a spine to each core
}

func (p pods) String() string {
	return fmt.Sprintf("%d pods of %d leaves and %d spines with %d cores, %d cables", p.pods, p.leaves, p.spines, p.cores, p.cables)
}

func (p pods) what() string { return fmt.Sprintf("a three-level fat tree of %d pods", p.pods) }

func (p pods) build() *subnet.Subnet {
	s := &subnet.Subnet{Origin: subnet.None}
	var cores []int32
	for i := range p.spines * p.cores {
		cores = append(cores, add(s, subnet.Switch, fmt.Sprintf("core%02d", i), 0))
	}
	for pod := range p.pods {
		var spines []int32
		for i := range p.spines {
			spines = append(spines, add(s, subnet.Switch, fmt.Sprintf("p%dspine%d", pod, i), 0))
		}
		for i := range p.leaves {
			leaf := add(s, subnet.Switch, fmt.Sprintf("p%dleaf%d", pod, i), 0)
			for j := range 4 {
				hang(s, add(s, subnet.Adapter, fmt.Sprintf("h%d%d%d mlx5_0", pod, i, j), 1), 1, leaf)
			}
			for _, spine := range spines {
				s.Connect(grow(s, leaf), grow(s, spine), ndr)
			}
		}
		for i, spine := range spines {
			for _, core := range cores[i*p.cores : (i+1)*p.cores] {
				for range p.cables {
					s.Connect(grow(s, spine), grow(s, core), ndr)
				}
			}
		}
	}
	return s
}

func TestCoresOfFewPodsAreCores(t *testing.T) {
	for _, n := range []int{2, 3, 4, 5, 8} {
		for _, spines := range []int{2, 4} {
			for _, cores := range []int{1, 2} {
				for _, cables := range []int{1, 2, 4} {
					p := pods{n, 4, spines, cores, cables}
					t.Run(p.String(), func(t *testing.T) {
						r := Subnet(p.build())
						if r.Islands[0].What != p.what() || len(warnings(r)) > 0 {
							t.Errorf("it is %q: %q", r.Islands[0].What, warnings(r))
						}
					})
				}
			}
		}
	}
}

// A core cable of a spine, exchanged with one of another group and another pod.
func TestOneCrossedCoreCableIsNamed(t *testing.T) {
	for _, p := range []pods{
		{4, 4, 4, 2, 1},
		{3, 4, 4, 2, 1},
		{8, 4, 2, 2, 1},
		{8, 4, 2, 2, 4},
		{4, 4, 4, 3, 1},
		{8, 4, 4, 1, 4},
		{4, 4, 4, 1, 4},
		{3, 4, 4, 1, 4},
		{2, 4, 4, 1, 4},
		{4, 4, 2, 1, 3},
	} {
		t.Run(p.String(), func(t *testing.T) {
			s := p.build()
			a, b := uplink(s, named(s, "p0spine0")[0]), uplink(s, named(s, "p1spine1")[0])
			ends := cross(s, a, b)
			r := Subnet(s)
			if r.Islands[0].What != p.what() {
				t.Errorf("it is %q", r.Islands[0].What)
			}
			f := finding(r, "crossed-cables")
			if f == nil || len(warnings(r)) != 1 {
				t.Fatalf("crossed: %q; found %q, not judged %q", ends, warnings(r), r.NotJudged)
			}
			for _, sw := range []int32{a.Node, b.Node, s.Peer(a).Node, s.Peer(b).Node} {
				if !strings.Contains(f.Text, s.NodeName(sw)) {
					t.Errorf("%s; %s is not in it", f.Text, s.NodeName(sw))
				}
			}
		})
	}
}

// With one cable a spine, a crossed one makes two spines of a pod peers. Which of them is wrong, no cable tells.
func TestACrossedOnlyCoreCableIsTold(t *testing.T) {
	for _, p := range []pods{{4, 4, 4, 1, 1}, {8, 4, 3, 1, 1}, {3, 4, 4, 1, 1}} {
		t.Run(p.String(), func(t *testing.T) {
			s := p.build()
			a, b := uplink(s, named(s, "p0spine0")[0]), uplink(s, named(s, "p1spine1")[0])
			cross(s, a, b)
			r := Subnet(s)
			f := finding(r, "crossed-cables")
			if f == nil || len(warnings(r)) != 1 || r.Islands[0].What != p.what() {
				t.Fatalf("it is %q: %q", r.Islands[0].What, warnings(r))
			}
			for _, e := range []subnet.End{a, b, s.Peer(a), s.Peer(b)} {
				if !strings.Contains(f.Text, s.NodeName(e.Node)) {
					t.Errorf("%s; %s is not in it", f.Text, s.NodeName(e.Node))
				}
			}
		})
	}
}

func TestACoreCableToTheWrongCoreIsNamed(t *testing.T) {
	for _, p := range []pods{{4, 4, 4, 2, 1}, {8, 4, 2, 2, 4}, {8, 4, 4, 1, 4}, {3, 4, 4, 1, 4}, {2, 4, 4, 1, 4}} {
		t.Run(p.String(), func(t *testing.T) {
			s := p.build()
			e := uplink(s, named(s, "p0spine0")[0])
			right, wrong := s.Peer(e).Node, s.Peer(uplink(s, named(s, "p1spine1")[0])).Node
			unplug(s, e)
			s.Connect(e, grow(s, wrong), ndr)
			r := Subnet(s)
			f := finding(r, "moved-cable")
			if f == nil || len(warnings(r)) != 1 || r.Islands[0].What != p.what() {
				t.Fatalf("it is %q: %q, not judged %q", r.Islands[0].What, warnings(r), r.NotJudged)
			}
			for _, sw := range []int32{e.Node, right, wrong} {
				if !strings.Contains(f.Text, s.NodeName(sw)) {
					t.Errorf("%s; %s is not in it", f.Text, s.NodeName(sw))
				}
			}
		})
	}
}

// With two uplinks a leaf, one crossed between pods leaves each leaf between two pods.
func TestOneCrossedLeafCableOfTwoIsNamed(t *testing.T) {
	for _, p := range []pods{{4, 4, 2, 2, 1}, {4, 4, 2, 1, 4}, {2, 4, 2, 4, 1}} {
		t.Run(p.String(), func(t *testing.T) {
			s := p.build()
			cross(s, uplink(s, named(s, "p0leaf0")[0]), uplink(s, named(s, "p1leaf0")[0]))
			r := Subnet(s)
			if finding(r, "crossed-cables") == nil || len(warnings(r)) != 1 || r.Islands[0].What != p.what() {
				t.Errorf("it is %q: %q, not judged %q", r.Islands[0].What, warnings(r), r.NotJudged)
			}
		})
	}
}
