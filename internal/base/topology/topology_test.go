package topology_test

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"weft/internal/base/topology"
	"weft/internal/test/topologytest"
)

func draw(t *rapid.T) topologytest.Draw {
	return func(name string, lo, hi int) int { return rapid.IntRange(lo, hi).Draw(t, name) }
}

// build builds a random fabric; illegal ones skip the draw.
func build(t *rapid.T) (topology.Spec, *topology.Graph) {
	s := topologytest.Spec(draw(t))
	if _, err := s.Count(); err != nil {
		if len(err.Error()) < 20 {
			t.Fatalf("%+v is refused with %q, which is no sentence", s, err)
		}
		if _, err := s.Build(); err == nil {
			t.Fatalf("%+v builds and does not count", s)
		}
		t.Skip()
	}
	g, err := s.Build()
	if err != nil {
		t.Fatalf("%+v counts and does not build: %v", s, err)
	}
	return s, g
}

func TestEveryLegalSpecBuildsAFabric(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, g := build(t)
		if err := topology.Validate(g); err != nil {
			t.Fatalf("%+v: %v", s, err)
		}
	})
}

func TestWhatIsCountedIsWhatIsBuilt(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, g := build(t)
		want, _ := s.Count()
		if got := topology.Tally(g); got != want {
			t.Fatalf("%+v built %+v, counted %+v", s, got, want)
		}
	})
}

func TestBundlesBetweenTwoSwitchesDifferByAtMostOneCable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := topologytest.TwoLevel(draw(t))
		g, err := s.Build()
		if err != nil {
			t.Skip()
		}
		width := map[[2]topology.NodeID]int{}
		ups := map[topology.NodeID]int{}
		for _, c := range g.Cables {
			if g.KindOf(c) == topology.LeafSpine {
				width[[2]topology.NodeID{c.A.Node, c.B.Node}]++
				ups[c.B.Node]++
			}
		}
		n := topology.Tally(g)
		if want := n.Switches[0] * n.Switches[1]; len(width) != want {
			t.Fatalf("%+v: %d pairs of leaf and spine are joined, want %d", s, len(width), want)
		}
		if lo, hi := span(width); hi-lo > 1 {
			t.Fatalf("%+v: bundles of %d and %d cables", s, lo, hi)
		}
		if lo, hi := span(ups); hi-lo > 1 {
			t.Fatalf("%+v: spines with %d and %d cables", s, lo, hi)
		}
	})
}

func span[K comparable](m map[K]int) (lo, hi int) {
	first := true
	for _, v := range m {
		if first {
			lo, hi, first = v, v, false
		}
		lo, hi = min(lo, v), max(hi, v)
	}
	return lo, hi
}

func TestKAryHasTheSizesOfThePaper(t *testing.T) {
	for _, row := range []struct{ k, hosts, leaf, spine, core int }{
		{4, 16, 8, 8, 4}, {8, 128, 32, 32, 16}, {16, 1024, 128, 128, 64}, {48, 27648, 1152, 1152, 576},
	} {
		c, err := topology.KAry{K: row.k}.Count()
		if err != nil {
			t.Fatal(err)
		}
		if want := [3]int{row.leaf, row.spine, row.core}; c.Endpoints != row.hosts || c.Switches != want || c.PortsFree != 0 {
			t.Errorf("k=%d has %d hosts on %v with %d free ports, want %d on %v with none", row.k, c.Endpoints, c.Switches, c.PortsFree, row.hosts, want)
		}
	}
}

func TestOversubscriptionIsThatOfAFullLeaf(t *testing.T) {
	for _, row := range []struct {
		ratio          topology.Ratio
		endpoints      int
		leaves, spines int
		up             int
	}{
		{topology.Ratio{}, 1024, 32, 16, 32},
		{topology.Ratio{Down: 2, Up: 1}, 1024, 25, 9, 21},
		{topology.Ratio{Down: 3, Up: 1}, 1024, 22, 8, 16},
		{topology.Ratio{Down: 7, Up: 1}, 1024, 19, 4, 8},
	} {
		s := topology.TwoLevel{Endpoints: row.endpoints, Radix: 64, Oversubscription: row.ratio}
		c, err := s.Count()
		if err != nil {
			t.Fatal(err)
		}
		if up := c.Cables[topology.LeafSpine] / c.Switches[0]; c.Switches[0] != row.leaves || c.Switches[1] != row.spines || up != row.up {
			t.Errorf("%s: %d leaves of %d uplinks, %d spines; want %d of %d, %d", row.ratio, c.Switches[0], up, c.Switches[1], row.leaves, row.up, row.spines)
		}
	}
}

func TestADragonflyOfAllGroupsHasOneCableForEachPair(t *testing.T) {
	g, err := topology.Dragonfly{P: 2, A: 4, H: 2}.Build()
	if err != nil {
		t.Fatal(err)
	}
	pairs := map[[2]int32]int{}
	for _, c := range g.Cables {
		if g.KindOf(c) == topology.Global {
			a, b := g.Nodes[c.A.Node].Group, g.Nodes[c.B.Node].Group
			pairs[[2]int32{min(a, b), max(a, b)}]++
		}
	}
	if lo, hi := span(pairs); len(pairs) != 36 || lo != 1 || hi != 1 {
		t.Errorf("%d pairs of groups with %d to %d cables, want 36 with one", len(pairs), lo, hi)
	}
	if c := topology.Tally(g); c.PortsFree != 0 {
		t.Errorf("%d ports are free, want none", c.PortsFree)
	}
}

func TestGroupsOfADragonflyAreJoinedEvenly(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := topologytest.Dragonfly(draw(t))
		if rapid.Bool().Draw(t, "plus") {
			s = topologytest.DragonflyPlus(draw(t))
		}
		g, err := s.Build()
		if err != nil {
			t.Skip()
		}
		groups := g.Nodes[len(g.Nodes)-1].Group + 1
		pairs := map[[2]int32]int{}
		for a := range groups {
			for b := range a {
				pairs[[2]int32{b, a}] = 0
			}
		}
		for _, c := range g.Cables {
			if g.KindOf(c) == topology.Global {
				a, b := g.Nodes[c.A.Node].Group, g.Nodes[c.B.Node].Group
				pairs[[2]int32{min(a, b), max(a, b)}]++
			}
		}
		if lo, hi := span(pairs); hi-lo > 1 || groups > 1 && lo == 0 {
			t.Fatalf("%+v: pairs of groups have %d to %d cables", s, lo, hi)
		}
	})
}

func TestPlanesAreJoinedOnlyAtTheNICs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := topologytest.MultiPlane(draw(t))
		g, err := s.Build()
		if err != nil {
			t.Skip()
		}
		for _, c := range g.Cables {
			a, b := g.Nodes[c.A.Node], g.Nodes[c.B.Node]
			if a.Kind == topology.Switch && b.Kind == topology.Switch && a.Plane != b.Plane {
				t.Fatalf("%+v: the cable between %s and %s joins planes %d and %d", s, a.Name, b.Name, a.Plane, b.Plane)
			}
		}
	})
}

func TestHPNIsTwoPlanesOfRails(t *testing.T) {
	// A segment of Alibaba HPN: 128 nodes of 8 NICs with two ports of
	// 200 Gb/s; a ToR has 128 of them and 60 uplinks of 400 Gb/s.
	s := topology.MultiPlane{Fabric: topology.Rail{
		Nodes: 15 * 128, UnitNodes: 128, Radix: 188, LeafOversubscription: topology.Ratio{Down: 128, Up: 60}, GroupSpines: 60,
	}}
	c, err := s.Count()
	if err != nil {
		t.Fatal(err)
	}
	if want := [3]int{240, 120, 0}; c.Switches != want || c.Endpoints != 15360 || c.Cables[topology.NodeLeaf] != 2*15360 {
		t.Errorf("%d GPUs on %v switches with %d ports, want 15360 on %v with %d", c.Endpoints, c.Switches, c.Cables[topology.NodeLeaf], want, 2*15360)
	}
}

func TestAMillionEndpointsAreCountedAtOnce(t *testing.T) {
	c, err := topology.KAry{K: 160}.Count()
	if err != nil {
		t.Fatal(err)
	}
	if c.Endpoints != 1024000 || c.TotalSwitches() != 5*160*160/4 {
		t.Errorf("%d endpoints on %d switches", c.Endpoints, c.TotalSwitches())
	}
}

func TestPartsAreBalancedAndEndpointsLiveWithTheirLeaf(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, g := build(t)
		n := rapid.SampledFrom([]int{1, 2, 3, 7}).Draw(t, "parts")
		part := topology.Partition(g, n)
		if again := topology.Partition(g, n); !slices.Equal(part, again) {
			t.Fatalf("%+v: two partitions differ", s)
		}
		heaviest := int64(0) // switch with its endpoints, on all planes
		own := map[topology.NodeID]int64{}
		for e := range g.Endpoints {
			home := topology.NodeID(-1)
			for p := range g.Nodes[e].Cables {
				far, _, _ := g.Peer(topology.End{Node: topology.NodeID(e), Port: int32(p)})
				if part[far.Node] != part[e] {
					t.Fatalf("%+v: %s is in part %d, its switch in %d", s, g.Nodes[e].Name, part[e], part[far.Node])
				}
				if home < 0 {
					home = far.Node
				}
				own[home] += 3
				heaviest = max(heaviest, own[home]+int64(len(g.Nodes[far.Node].Cables)*max(1, g.Planes)))
			}
		}
		load, _ := balance(g, part, n)
		total := int64(0)
		for _, l := range load {
			total += l
		}
		if most := slices.Max(load); most > total/int64(n)+2*heaviest {
			t.Fatalf("%+v: %d parts have loads %v; the heaviest indivisible piece is %d", s, n, load, heaviest)
		}
	})
}

func TestPartsOfLargeFabricsDifferByAFewPercent(t *testing.T) {
	for name, s := range map[string]topology.Spec{
		"k=16":             topology.KAry{K: 16},
		"4-unit SuperPOD":  topology.Rail{Nodes: 128},
		"16-unit SuperPOD": topology.Rail{Nodes: 512},
		"dragonfly":        topology.Dragonfly{P: 4, A: 8, H: 4},
		"torus 8×8×8":      topology.Torus{Dims: []int{8, 8, 8}, SwitchEndpoints: 2},
		"two planes":       topology.MultiPlane{Fabric: topology.Rail{Nodes: 128}},
	} {
		g, err := s.Build()
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range []int{2, 3, 7} {
			load, cut := balance(g, topology.Partition(g, n), n)
			lo, hi := slices.Min(load), slices.Max(load)
			if hi*100 > lo*113 {
				t.Errorf("%s in %d parts: loads %v differ by more than 13 %%", name, n, load)
			}
			if cut == len(g.Cables) {
				t.Errorf("%s in %d parts: every cable is cut", name, n)
			}
			t.Logf("%s in %d: %v, %d of %d cables cut", name, n, load, cut, len(g.Cables))
		}
	}
}

// A list of a tree's cables builds a fabric with the tree's levels.
func TestAListedFabricHasTheLevelsOfTheTreeItLists(t *testing.T) {
	tree, err := topology.ThreeLevel{Endpoints: 54, Radix: 6, NodeNICs: 2}.Build()
	if err != nil {
		t.Fatal(err)
	}
	s := topology.Listed{Endpoints: 54, NodeNICs: 2, Radix: 6}
	for _, c := range tree.Cables {
		s.Links = append(s.Links, topology.ListedLink{A: int(c.A.Node), B: int(c.B.Node), Length: c.Length})
	}
	want := topology.Tally(tree)
	if got, err := s.Count(); err != nil || got != want {
		t.Errorf("%+v (%v), want %+v", got, err, want)
	}
	for want, change := range map[string]func(*topology.Listed){
		"NIC 0 has 2 cables":                   func(s *topology.Listed) { s.Links = append(s.Links, topology.ListedLink{A: 0, B: 60}) },
		"link 1 joins 2 and 3":                 func(s *topology.Listed) { s.Links[1] = topology.ListedLink{A: 2, B: 3} },
		"has no cable: numbers of switches go": func(s *topology.Listed) { s.Radix, s.Links = 7, append(s.Links, topology.ListedLink{A: 60, B: 900}) },
		"cables and 5 ports":                   func(s *topology.Listed) { s.Radix = 5 },
	} {
		bad := s
		bad.Links = slices.Clone(s.Links)
		change(&bad)
		if _, err := bad.Build(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

func TestErrorsNameTheValueAndTheWayOut(t *testing.T) {
	for _, row := range []struct {
		spec topology.Spec
		has  []string
	}{
		{topology.SingleSwitch{Endpoints: 65, Radix: 64}, []string{"65 endpoints", "radix 64", "larger switch"}},
		{topology.TwoLevel{Endpoints: 2049, Radix: 64}, []string{"2049 endpoints", "65 leaves", "ends at 2048", "three levels"}},
		{topology.TwoLevel{Endpoints: 64, Radix: 64, LeafEndpoints: 40, Oversubscription: topology.Ratio{Down: 4, Up: 3}}, []string{"70 ports", "has 64"}},
		{topology.TwoLevel{Endpoints: 1024, Radix: 64, Spines: 8}, []string{"8 spines", "at least 16"}},
		{topology.TwoLevel{Endpoints: 40, Radix: 8, Oversubscription: topology.Ratio{Down: 3, Up: 1}, Spines: 3}, []string{"3 spines", "at most 2"}},
		{topology.TwoLevel{Endpoints: 64, Radix: 64, Oversubscription: topology.Ratio{Down: 3}}, []string{"3:0", "3:1"}},
		{topology.TwoLevel{Endpoints: 0, Radix: 64}, []string{"endpoints is 0", "from 1"}},
		{topology.ThreeLevel{Endpoints: 70000, Radix: 64}, []string{"70000 endpoints", "ends at 65536"}},
		{topology.KAry{K: 7}, []string{"k is 7", "even"}},
		{topology.Rail{Nodes: 32, UFM: true, UnitNodes: 32}, []string{"32 nodes", "UFM", "31 nodes"}},
		{topology.Rail{Nodes: 9000}, []string{"core of radix 64", "8192 nodes"}},
		{topology.Dragonfly{P: 2, A: 4, H: 2, Groups: 10}, []string{"10 groups", "at most 9"}},
		{topology.DragonflyPlus{Groups: 6, Leaves: 2, Spines: 2, LeafEndpoints: 2, SpineGlobals: 2}, []string{"6 groups", "at most 5"}},
		{topology.Torus{Dims: []int{4, 1}, SwitchEndpoints: 1}, []string{"dimension 1", "at least 2"}},
		{topology.MultiPlane{Fabric: topology.Torus{Dims: []int{4}, SwitchEndpoints: 1}}, []string{"Torus", "fat tree"}},
		{topology.SingleSwitch{Endpoints: 2, Lengths: topology.Lengths{NodeLeaf: -1}}, []string{"node-leaf", "-1 mm", "5 m"}},
	} {
		_, err := row.spec.Count()
		if err == nil {
			t.Errorf("%+v is accepted", row.spec)
			continue
		}
		for _, has := range row.has {
			if !strings.Contains(err.Error(), has) {
				t.Errorf("%T is refused with %q, which does not say %q", row.spec, err, has)
			}
		}
	}
}

func TestValidateFindsWhatIsBroken(t *testing.T) {
	for name, hurt := range map[string]func(*topology.Graph){
		"has cable":     func(g *topology.Graph) { g.Nodes[0].Cables[0] = 1 },
		"ends at node":  func(g *topology.Graph) { g.Cables[0].B.Node = 1000 },
		"no path":       func(g *topology.Graph) { cutLeaf(g) },
		"should have 1": func(g *topology.Graph) { g.Nodes[3].Plane = 0; unplug(g, len(g.Cables)-1, 3) },
		"both called":   func(g *topology.Graph) { g.Nodes[1].Name = g.Nodes[2].Name },
		"wrong place":   func(g *topology.Graph) { g.Nodes[0].Kind = topology.Switch },
	} {
		g, err := topology.TwoLevel{Endpoints: 8, Radix: 4}.Build()
		if err != nil {
			t.Fatal(err)
		}
		hurt(g)
		if err := topology.Validate(g); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("Validate gives %v, want an error with %q", err, name)
		}
	}
}

// cutLeaf removes all uplinks of the first leaf.
func cutLeaf(g *topology.Graph) {
	leaf := topology.NodeID(g.Endpoints)
	var kept []topology.Cable
	for _, c := range g.Cables {
		if g.KindOf(c) != topology.LeafSpine || c.A.Node != leaf && c.B.Node != leaf {
			kept = append(kept, c)
		}
	}
	replug(g, kept)
}

// unplug removes the cable of an endpoint.
func unplug(g *topology.Graph, _ int, e topology.NodeID) {
	var kept []topology.Cable
	for _, c := range g.Cables {
		if c.A.Node != e && c.B.Node != e {
			kept = append(kept, c)
		}
	}
	replug(g, kept)
}

func replug(g *topology.Graph, cables []topology.Cable) {
	for i := range g.Nodes {
		for p := range g.Nodes[i].Cables {
			g.Nodes[i].Cables[p] = -1
		}
	}
	g.Cables = cables
	for i, c := range cables {
		g.Nodes[c.A.Node].Cables[c.A.Port] = int32(i)
		g.Nodes[c.B.Node].Cables[c.B.Port] = int32(i)
	}
}

func BenchmarkBuildKAry16(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := (topology.KAry{K: 16}).Build(); err != nil {
			b.Fatal(err)
		}
	}
}

// balance is the quality of a partitioning: the work of each partition, where a port of a switch is 1
// and one of an endpoint 2, and the number of cables between partitions.
func balance(g *topology.Graph, part []int32, n int) (load []int64, cut int) {
	load = make([]int64, n)
	for i := range g.Nodes {
		w := int64(1)
		if i < g.Endpoints {
			w = 2
		}
		load[part[i]] += w * int64(g.Nodes[i].Cabled())
	}
	for _, c := range g.Cables {
		if part[c.A.Node] != part[c.B.Node] {
			cut++
		}
	}
	return load, cut
}
