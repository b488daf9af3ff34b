package routing_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"weft/internal/base/topology"
	"weft/internal/sim/routing"
	"weft/internal/test/topologytest"
)

func must(t testing.TB, s topology.Spec) (*topology.Graph, *routing.Tables) {
	t.Helper()
	g, err := s.Build()
	if err != nil {
		t.Fatal(err)
	}
	tab, err := routing.Build(g)
	if err != nil {
		t.Fatal(err)
	}
	return g, tab
}

func draw(t *rapid.T) topologytest.Draw {
	return func(name string, lo, hi int) int { return rapid.IntRange(lo, hi).Draw(t, name) }
}

// random builds a random fabric with its tables.
func random(t *rapid.T, spec func(topologytest.Draw) topology.Spec) (topology.Spec, *topology.Graph, *routing.Tables) {
	s := spec(draw(t))
	g, err := s.Build()
	if err != nil {
		t.Skip()
	}
	tab, err := routing.Build(g)
	if err != nil {
		t.Fatalf("%+v: %v", s, err)
	}
	return s, g, tab
}

func TestEveryPairIsReachableInEveryFabric(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, g, tab := random(t, topologytest.Spec)
		if err := routing.CheckReachable(g, tab); err != nil {
			t.Fatalf("%+v: %v", s, err)
		}
	})
}

// bfs is the dumb twin: distances over the whole graph from one endpoint.
func bfs(g *topology.Graph, from int) []int {
	dist := make([]int, len(g.Nodes))
	for i := range dist {
		dist[i] = -1
	}
	dist[from] = 0
	queue := []topology.NodeID{topology.NodeID(from)}
	for len(queue) > 0 {
		n := queue[0]
		queue = queue[1:]
		if g.Nodes[n].Kind == topology.Endpoint && int(n) != from {
			continue
		}
		for p := range g.Nodes[n].Cables {
			if far, _, ok := g.Peer(topology.End{Node: n, Port: int32(p)}); ok && dist[far.Node] < 0 {
				dist[far.Node] = dist[n] + 1
				queue = append(queue, far.Node)
			}
		}
	}
	return dist
}

func TestStaticPathsAreAsShortAsTheGraphAllows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, g, tab := random(t, topologytest.Spec)
		if g.Family == topology.FamilyDragonfly || g.Family == topology.FamilyDragonflyPlus {
			t.Skip() // there minimal means one global cable at most
		}
		src := rapid.IntRange(0, g.Endpoints-1).Draw(t, "src")
		dist := bfs(g, src)
		for dst := range g.Endpoints {
			want := max(0, dist[dst]-1)
			if dist[dst] < 0 {
				want = -1
			}
			if got := routing.Hops(g, tab, src, dst); got != want {
				t.Fatalf("%+v: %s to %s passes %d switches, the shortest path %d", s, g.Nodes[src].Name, g.Nodes[dst].Name, got, want)
			}
		}
	})
}

func TestMinimalSetsAreAllThePortsOfShortestPaths(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, g, tab := random(t, topologytest.Spec)
		if g.Family == topology.FamilyDragonfly || g.Family == topology.FamilyDragonflyPlus {
			t.Skip()
		}
		dst := rapid.IntRange(0, g.Endpoints-1).Draw(t, "dst")
		dist := bfs(g, dst)
		for sw := range tab.Switches {
			n := topology.NodeID(g.Endpoints + sw)
			var want []uint16
			for p := range g.Nodes[n].Cables {
				far, _, ok := g.Peer(topology.End{Node: n, Port: int32(p)})
				if ok && dist[n] >= 0 && dist[far.Node] == dist[n]-1 {
					want = append(want, uint16(p))
				}
			}
			if got := tab.Minimal(sw, dst); !slices.Equal(got, want) {
				t.Fatalf("%+v: %s has minimal ports %v for %s, want %v", s, g.Nodes[n].Name, got, g.Nodes[dst].Name, want)
			}
		}
	})
}

func TestDragonflyPathsUseOneGlobalCableAtMost(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		spec, most := topologytest.Dragonfly, 4 // switches: two in each group
		if rapid.Bool().Draw(t, "plus") {
			spec, most = topologytest.DragonflyPlus, 4
		}
		s, g, tab := random(t, spec)
		src := rapid.IntRange(0, g.Endpoints-1).Draw(t, "src")
		rank := rapid.IntRange(0, 5).Draw(t, "rank")
		for dst := range g.Endpoints {
			for _, choose := range []routing.Choose{nil, func(_ topology.NodeID, ports []uint16) uint16 { return ports[rank%len(ports)] }} {
				path, err := routing.Path(g, tab, src, dst, choose)
				if err != nil {
					t.Fatalf("%+v: %v", s, err)
				}
				globals := 0
				for _, e := range path {
					if _, c, _ := g.Peer(e); g.KindOf(g.Cables[c]) == topology.Global {
						globals++
					}
				}
				if globals > 1 || len(path)-1 > most {
					t.Fatalf("%+v: %d to %d passes %d global cables and %d switches", s, src, dst, globals, len(path)-1)
				}
			}
		}
	})
}

func TestTreePathsPassAtMostTwiceTheLevelsMinusOneSwitches(t *testing.T) {
	for _, row := range []struct {
		spec topology.Spec
		hops []int // that occur
	}{
		{topology.SingleSwitch{Endpoints: 16}, []int{1}},
		{topology.TwoLevel{Endpoints: 100, Radix: 16, Oversubscription: topology.Ratio{Down: 3, Up: 1}}, []int{1, 3}},
		{topology.KAry{K: 8}, []int{1, 3, 5}},
		{topology.Rail{Nodes: 16}, []int{1, 3}},
		{topology.Rail{Nodes: 72, Rails: 8, Radix: 16}, []int{1, 3, 5}},
	} {
		g, tab := must(t, row.spec)
		seen := map[int]bool{}
		for dst := 1; dst < g.Endpoints; dst++ {
			seen[routing.Hops(g, tab, 0, dst)] = true
		}
		for _, h := range row.hops {
			if !seen[h] {
				t.Errorf("%T: no path passes %d switches", row.spec, h)
			}
			delete(seen, h)
		}
		if len(seen) > 0 {
			t.Errorf("%T: paths also pass %v switches, want only %v", row.spec, seen, row.hops)
		}
	}
}

func TestEachRailStaysOnOneLeafInsideAUnit(t *testing.T) {
	g, tab := must(t, topology.Rail{Nodes: 64})
	for _, row := range []struct{ src, dst, hops int }{
		{0*8 + 3, 31*8 + 3, 1}, {0*8 + 3, 32*8 + 3, 3}, {0*8 + 3, 1*8 + 4, 3},
	} {
		if got := routing.Hops(g, tab, row.src, row.dst); got != row.hops {
			t.Errorf("%s to %s passes %d switches, want %d", g.Nodes[row.src].Name, g.Nodes[row.dst].Name, got, row.hops)
		}
	}
}

// Zahavi 2012: in a full tree, D-mod-k routes every shift without contention.
func TestShiftsMeetNoContentionInAFullTree(t *testing.T) {
	for name, s := range map[string]topology.Spec{
		"k=4":            topology.KAry{K: 4},
		"k=8":            topology.KAry{K: 8},
		"two levels":     topology.TwoLevel{Endpoints: 128, Radix: 16},
		"bundles of two": topology.TwoLevel{Endpoints: 64, Radix: 16},
		"three levels":   topology.ThreeLevel{Endpoints: 256, Radix: 16},
	} {
		g, tab := must(t, s)
		contentionFree(t, name, g, tab)
	}
}

// contentionFree checks that no shift puts two flows on a cable.
func contentionFree(t *testing.T, name string, g *topology.Graph, tab *routing.Tables) {
	t.Helper()
	for k := 1; k < g.Endpoints; k++ {
		l, err := routing.Load(g, tab, routing.Shift(g.Endpoints, k))
		if err != nil {
			t.Fatal(err)
		}
		if hot := slices.Max(l); hot != 1 {
			t.Errorf("%s: shift by %d puts %d flows on one cable", name, k, hot)
			return
		}
	}
}

// turned is a graph whose switches stand in the opposite order: cores first, leaves last.
func turned(g *topology.Graph) *topology.Graph {
	at := func(n topology.NodeID) topology.NodeID {
		if int(n) < g.Endpoints {
			return n
		}
		return topology.NodeID(g.Endpoints + len(g.Nodes) - 1 - int(n))
	}
	t := *g
	t.Nodes, t.Cables = slices.Clone(g.Nodes), slices.Clone(g.Cables)
	slices.Reverse(t.Nodes[g.Endpoints:])
	for i := range t.Cables {
		c := &t.Cables[i]
		c.A.Node, c.B.Node = at(c.A.Node), at(c.B.Node)
	}
	return &t
}

// The order of switches in a graph says nothing about their levels.
func TestShiftsMeetNoContentionWhateverTheOrderOfSwitches(t *testing.T) {
	for name, s := range map[string]topology.Spec{
		"k=4": topology.KAry{K: 4}, "two levels": topology.TwoLevel{Endpoints: 128, Radix: 16},
	} {
		g, err := s.Build()
		if err != nil {
			t.Fatal(err)
		}
		g = turned(g)
		tab, err := routing.Build(g)
		if err != nil {
			t.Fatal(err)
		}
		contentionFree(t, name, g, tab)
	}
}

func TestNodeShiftsMeetNoContentionInAFullRailFabric(t *testing.T) {
	for name, s := range map[string]topology.Rail{
		"1 unit": {Nodes: 32}, "2 units": {Nodes: 64}, "3 units": {Nodes: 96}, "4 units": {Nodes: 128},
		"with cores": {Nodes: 96, Radix: 16, Rails: 8},
	} {
		g, tab := must(t, s)
		rails := g.NodeNICs
		for _, k := range []int{1, 2, 5, 16, 31} {
			l, err := routing.Load(g, tab, routing.Shift(g.Endpoints, k*rails))
			if err != nil {
				t.Fatal(err)
			}
			if hot := slices.Max(l); hot != 1 {
				t.Errorf("%s: shift by %d nodes puts %d flows on one cable", name, k, hot)
			}
		}
	}
}

func TestAllToAllSpreadsEvenlyOverFullTrees(t *testing.T) {
	for name, s := range map[string]topology.Spec{
		"k=8":              topology.KAry{K: 8},
		"two levels":       topology.TwoLevel{Endpoints: 128, Radix: 16},
		"3:1":              topology.TwoLevel{Endpoints: 96, Radix: 16, Oversubscription: topology.Ratio{Down: 3, Up: 1}},
		"2:1 at both":      topology.ThreeLevel{Endpoints: 256, Radix: 12, LeafOversubscription: topology.Ratio{Down: 2, Up: 1}, SpineOversubscription: topology.Ratio{Down: 2, Up: 1}},
		"rails":            topology.Rail{Nodes: 16},
		"rails, two units": topology.Rail{Nodes: 64},
		"rails with cores": topology.Rail{Nodes: 96, Radix: 16},
		"two planes":       topology.MultiPlane{Fabric: topology.TwoLevel{Endpoints: 64, Radix: 16}},
	} {
		g, tab := must(t, s)
		l, err := routing.Load(g, tab, routing.AllToAll(g.Endpoints))
		if err != nil {
			t.Fatal(err)
		}
		for _, kind := range []topology.CableKind{topology.LeafSpine, topology.SpineCore} {
			if lo, hi := l.Range(g, kind); lo != hi {
				t.Errorf("%s: %s cables carry %d to %d flows, want all the same", name, kind, lo, hi)
			}
		}
	}
}

func TestDestinationsOfALeafSpreadOverItsDownlinks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, g, tab := random(t, func(d topologytest.Draw) topology.Spec {
			switch d("tree", 0, 2) {
			case 0:
				return topologytest.TwoLevel(d)
			case 1:
				return topologytest.ThreeLevel(d)
			}
			return topologytest.Rail(d)
		})
		// From outside the leaf, the cables that come down to it are used by
		// numbers of destinations that differ by one at most.
		count := map[topology.End]map[int]bool{}
		for dst := range g.Endpoints {
			for src := range g.Endpoints {
				path, err := routing.Path(g, tab, src, dst, nil)
				if err != nil {
					t.Fatalf("%+v: %v", s, err)
				}
				if len(path) >= 4 {
					e := path[len(path)-2]
					far, _, _ := g.Peer(e)
					if count[far] == nil {
						count[far] = map[int]bool{}
					}
					count[far][dst] = true
				}
			}
		}
		for leaf := g.Endpoints; leaf < len(g.Nodes); leaf++ {
			if g.Nodes[leaf].Level != 1 {
				continue
			}
			lo, hi, wired := 1<<30, 0, false
			for p := range g.Nodes[leaf].Cables {
				far, _, ok := g.Peer(topology.End{Node: topology.NodeID(leaf), Port: int32(p)})
				if !ok || int(far.Node) < g.Endpoints {
					continue
				}
				n := len(count[topology.End{Node: topology.NodeID(leaf), Port: int32(p)}])
				lo, hi, wired = min(lo, n), max(hi, n), true
			}
			if wired && hi-lo > 1 {
				t.Fatalf("%+v: uplinks of %s bring %d to %d destinations", s, g.Nodes[leaf].Name, lo, hi)
			}
		}
	})
}

func TestEveryDestinationHasOneTree(t *testing.T) {
	// In a tree whose bundles are equal, all packets for a destination that
	// pass the top pass one switch of it.
	for _, s := range []topology.Spec{topology.KAry{K: 8}, topology.Rail{Nodes: 64}, topology.Rail{Nodes: 96, Radix: 16}} {
		g, tab := must(t, s)
		top := g.Nodes[len(g.Nodes)-1].Level
		for dst := range g.Endpoints {
			root := topology.NodeID(-1)
			for src := 0; src < g.Endpoints; src += 3 {
				path, err := routing.Path(g, tab, src, dst, nil)
				if err != nil {
					t.Fatal(err)
				}
				for _, e := range path {
					if g.Nodes[e.Node].Level == top {
						if root >= 0 && root != e.Node {
							t.Fatalf("%T: packets for %s pass %s and %s", s, g.Nodes[dst].Name, g.Nodes[root].Name, g.Nodes[e.Node].Name)
						}
						root = e.Node
					}
				}
			}
		}
	}
}

func TestTreesHaveNoCreditLoop(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, g, tab := random(t, func(d topologytest.Draw) topology.Spec {
			switch d("tree", 0, 3) {
			case 0:
				return topologytest.TwoLevel(d)
			case 1:
				return topologytest.ThreeLevel(d)
			case 2:
				return topologytest.MultiPlane(d)
			}
			return topologytest.Rail(d)
		})
		if loop := routing.CreditLoop(g, tab, nil, false); loop != nil {
			t.Fatalf("%+v has the credit loop %v", s, loop)
		}
		if loop := routing.CreditLoop(g, tab, routing.LanesFor(g), true); loop != nil {
			t.Fatalf("%+v has the credit loop %v with minimal routing", s, loop)
		}
	})
}

func TestARingHasACreditLoopOnOneLaneAndNoneOnTwo(t *testing.T) {
	for _, s := range []topology.Torus{
		{Dims: []int{5}, SwitchEndpoints: 1},
		{Dims: []int{4, 6}, SwitchEndpoints: 2},
		{Dims: []int{5, 3, 4}, SwitchEndpoints: 1, Bundle: 2},
	} {
		g, tab := must(t, s)
		loop := routing.CreditLoop(g, tab, nil, false)
		if len(loop) == 0 {
			t.Fatalf("%v: no credit loop was found", s.Dims)
		}
		// Each port leads to the switch of the next.
		for i, e := range loop {
			far, _, ok := g.Peer(e)
			if next := loop[(i+1)%len(loop)].Node; !ok || far.Node != next {
				t.Errorf("%v: port %v leads to %v, the loop goes on at node %d", s.Dims, e, far, next)
			}
		}
		if loop := routing.CreditLoop(g, tab, routing.LanesFor(g), false); loop != nil {
			t.Errorf("%v: with two lanes there is the credit loop %v", s.Dims, loop)
		}
	}
}

// In a ring of four only the tie at half-way could close the loop, and there even switches
// go up while odd ones go down.
func TestARingOfFourHasNoCreditLoop(t *testing.T) {
	g, tab := must(t, topology.Torus{Dims: []int{4, 4}, SwitchEndpoints: 2})
	if loop := routing.CreditLoop(g, tab, nil, false); loop != nil {
		t.Errorf("found the credit loop %v", loop)
	}
}

func TestAMeshInDimensionOrderHasNoCreditLoop(t *testing.T) {
	for _, s := range []topology.Torus{
		{Dims: []int{4, 5}, SwitchEndpoints: 1, Mesh: true},
		{Dims: []int{2, 2, 2}, SwitchEndpoints: 2}, // a hypercube
		{Dims: []int{3, 4, 2}, SwitchEndpoints: 1, Mesh: true, Bundle: 2},
	} {
		g, tab := must(t, s)
		if loop := routing.CreditLoop(g, tab, nil, false); loop != nil {
			t.Errorf("%v has the credit loop %v", s.Dims, loop)
		}
		if len(s.Dims) > 1 && routing.CreditLoop(g, tab, routing.LanesFor(g), true) == nil {
			t.Errorf("%v: free choice among minimal ports should have a credit loop", s.Dims)
		}
	}
}

func TestADragonflyNeedsTheSecondLane(t *testing.T) {
	g, tab := must(t, topology.Dragonfly{P: 2, A: 4, H: 2})
	if routing.CreditLoop(g, tab, nil, false) == nil {
		t.Error("a dragonfly on one lane should have a credit loop")
	}
	lanes := routing.LanesFor(g)
	if lanes.Count != 2 {
		t.Errorf("the rule uses %d lanes, want 2", lanes.Count)
	}
	if loop := routing.CreditLoop(g, tab, lanes, true); loop != nil {
		t.Errorf("with two lanes there is the credit loop %v", loop)
	}
}

func TestLanesBreakEveryCreditLoop(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, g, tab := random(t, topologytest.Spec)
		if _, listed := s.(topology.Listed); listed {
			t.Skip("a topology of any form has no rule of lanes: its tables come from an engine, and are proved before a run")
		}
		if loop := routing.CreditLoop(g, tab, routing.LanesFor(g), false); loop != nil {
			t.Fatalf("%+v has the credit loop %v", s, loop)
		}
	})
}

func TestADragonflyPlusNeedsOneLane(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, g, tab := random(t, topologytest.DragonflyPlus)
		if loop := routing.CreditLoop(g, tab, routing.LanesFor(g), true); loop != nil {
			t.Fatalf("%+v has the credit loop %v", s, loop)
		}
	})
}

func TestTorusPathsTakeTheFirstDimensionFirst(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, g, tab := random(t, topologytest.Torus)
		src := rapid.IntRange(0, g.Endpoints-1).Draw(t, "src")
		for dst := range g.Endpoints {
			path, err := routing.Path(g, tab, src, dst, nil)
			if err != nil {
				t.Fatalf("%+v: %v", s, err)
			}
			last := 0
			for _, e := range path[min(1, len(path)):] {
				far, _, _ := g.Peer(e)
				if int(far.Node) < g.Endpoints {
					break
				}
				dim, x, y := 0, int(e.Node)-g.Endpoints, int(far.Node)-g.Endpoints
				for x%g.Dims[dim] == y%g.Dims[dim] {
					x, y = x/g.Dims[dim], y/g.Dims[dim]
					dim++
				}
				if dim < last {
					t.Fatalf("%+v: %d to %d goes back from dimension %d to %d", s, src, dst, last, dim)
				}
				last = dim
			}
		}
	})
}

func TestNICsWithTwoPortsReachThroughBothPlanes(t *testing.T) {
	g, tab := must(t, topology.MultiPlane{Fabric: topology.Rail{Nodes: 16}})
	for plane := range uint16(2) {
		path, err := routing.Path(g, tab, 3, 100, func(n topology.NodeID, ports []uint16) uint16 {
			if int(n) < g.Endpoints {
				return ports[plane]
			}
			return ports[0]
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range path[1:] {
			if got := g.Nodes[e.Node].Plane; got != int32(plane) {
				t.Errorf("the path on plane %d passes %s", plane, g.Nodes[e.Node].Name)
			}
		}
	}
}

func TestPathsReportLoopsAndDeadEnds(t *testing.T) {
	g, tab := must(t, topology.TwoLevel{Endpoints: 16, Radix: 8})
	bad := *tab
	bad.Port = slices.Clone(tab.Port)
	leaf := 0
	spine := tab.Switches - 1
	for d := range tab.Endpoints {
		if tab.Port[spine*tab.Endpoints+d] != routing.NoPort {
			bad.Port[spine*tab.Endpoints+d] = 0 // always down to leaf 0
		}
	}
	if err := routing.CheckReachable(g, &bad); err == nil {
		t.Error("a spine that sends all to leaf 0 is not found")
	}
	bad.Port[leaf*tab.Endpoints+15] = routing.NoPort
	if _, err := routing.Path(g, &bad, 0, 15, nil); err == nil {
		t.Error("a leaf without a port for a destination has a path")
	}
}

// No path leads through a leaf that lacks a port for a destination, so only the leaf's own
// endpoints show the error.
func TestALeafThatForgetsADestinationIsFound(t *testing.T) {
	g, tab := must(t, topology.TwoLevel{Endpoints: 16, Radix: 8})
	bad := *tab
	bad.Port, bad.Group = slices.Clone(tab.Port), slices.Clone(tab.Group)
	bad.Port[15], bad.Group[15] = routing.NoPort, 0 // of leaf 0
	err := routing.CheckReachable(g, &bad)
	if want := g.Nodes[0].Name + " has no path to " + g.Nodes[15].Name; err == nil || err.Error() != want {
		t.Errorf("the tables of a leaf without a port for a destination: %v, want %q", err, want)
	}
}

func TestTablesOfLargeFabricsAreSmall(t *testing.T) {
	if testing.Short() {
		t.Skip()
	}
	_, tab := must(t, topology.ThreeLevel{Endpoints: 8192, Radix: 64})
	bytes := 2*(len(tab.Port)+len(tab.Group)+len(tab.SetPorts)) + 4*(len(tab.SetStart)+len(tab.SetBase))
	if bytes > 200<<20 {
		t.Errorf("the tables take %d MiB", bytes>>20)
	}
}

func BenchmarkBuild(b *testing.B) {
	for name, spec := range map[string]topology.Spec{"KAry16": topology.KAry{K: 16}, "8192": topology.Rail{Nodes: 1024}} {
		b.Run(name, func(b *testing.B) {
			g, err := spec.Build()
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				if _, err := routing.Build(g); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkCreditLoop(b *testing.B) {
	for name, free := range map[string]bool{"static": false, "free": true} {
		b.Run(name, func(b *testing.B) {
			g, tab := must(b, topology.KAry{K: 16})
			for b.Loop() {
				if routing.CreditLoop(g, tab, nil, free) != nil {
					b.Fatal("a loop")
				}
			}
		})
	}
}
